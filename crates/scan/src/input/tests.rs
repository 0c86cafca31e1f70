use super::*;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

/// Not a class, but it begins like one.
const CLASS: &[u8] = &[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52];

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Reads one file with this name and content.
fn read(name: &str, bytes: &[u8], limits: InputLimits) -> Input {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut input = read_input(&[path], &[], limits);
    let prefix = format!("{}/", folder.path().display());
    input.classes.iter_mut().for_each(|it| it.origin = it.origin.replace(&prefix, ""));
    input.skipped.iter_mut().for_each(|it| it.origin = it.origin.replace(&prefix, ""));
    input
}

fn origins(input: &Input) -> Vec<&str> {
    input.classes.iter().map(|it| it.origin.as_str()).collect()
}

fn skipped(input: &Input) -> Vec<String> {
    input.skipped.iter().map(|it| format!("{}: {}", it.origin, it.why)).collect()
}

#[test]
fn jars_within_jars() {
    let inner = archive(&[("p/B.class", CLASS), ("LICENSE", b"text")]);
    let module =
        archive(&[("WEB-INF/lib/inner.jar", &inner), ("WEB-INF/classes/p/C.class", CLASS)]);
    let outer = archive(&[
        ("BOOT-INF/lib/web.war", &module),
        ("BOOT-INF/classes/p/A.class", CLASS),
        ("module-info.class", CLASS),
        ("BOOT-INF/classes/module-info.class", CLASS),
    ]);
    let input = read("app.jar", &outer, InputLimits::default());
    assert_eq!(
        origins(&input),
        [
            "app.jar!/BOOT-INF/classes/p/A.class",
            "app.jar!/BOOT-INF/lib/web.war!/WEB-INF/classes/p/C.class",
            "app.jar!/BOOT-INF/lib/web.war!/WEB-INF/lib/inner.jar!/p/B.class",
        ]
    );
    assert_eq!((input.archives, input.skipped.len()), (3, 0));
    let shallow = InputLimits { nesting: 1, ..InputLimits::default() };
    let input = read("app.jar", &outer, shallow);
    assert_eq!(
        skipped(&input),
        [
            "app.jar!/BOOT-INF/lib/web.war!/WEB-INF/lib/inner.jar: archives are nested more than 1 deep"
        ]
    );
    assert_eq!(input.classes.len(), 2);
}

#[test]
fn the_newest_release_of_a_class_counts() {
    let old: &[u8] = &[0xca, 0xfe, 0xba, 0xbe, 1];
    let new: &[u8] = &[0xca, 0xfe, 0xba, 0xbe, 2];
    let entries = |manifest: &'static str| {
        archive(&[
            ("META-INF/MANIFEST.MF", manifest.as_bytes()),
            ("META-INF/versions/11/p/A.class", new),
            ("META-INF/versions/9/p/A.class", old),
            ("META-INF/versions/9/module-info.class", CLASS),
            ("p/A.class", CLASS),
            ("p/B.class", CLASS),
        ])
    };
    let jar = entries("Manifest-Version: 1.0\r\nmulti-release: TRUE\r\n");
    let input = read("a.jar", &jar, InputLimits::default());
    assert_eq!(origins(&input), ["a.jar!/META-INF/versions/11/p/A.class", "a.jar!/p/B.class"]);
    assert_eq!(input.classes[0].bytes, new);
    assert!(matches!(&input.multi_release[..], [(name, 11)] if name.ends_with("a.jar")));
    let input = read("a.jar", &entries("Manifest-Version: 1.0\n"), InputLimits::default());
    assert_eq!(origins(&input), ["a.jar!/p/A.class", "a.jar!/p/B.class"]);
    assert!(input.multi_release.is_empty());
}

#[test]
fn folders_are_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("z/y")).unwrap();
    for (name, bytes) in [
        ("z/y/B.class", CLASS.to_vec()),
        ("z/A.class", CLASS.to_vec()),
        ("C.class", CLASS.to_vec()),
        ("notes.txt", b"no".to_vec()),
        ("b.jar", archive(&[("D.class", CLASS)])),
        ("broken.jar", b"no".to_vec()),
        ("module-info.class", CLASS.to_vec()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("z/again.jar")).unwrap();
    let input = read_input(&[folder.path().to_owned()], &[], InputLimits::default());
    let prefix = format!("{}/", folder.path().display());
    let found: Vec<String> =
        input.classes.iter().map(|it| it.origin.replace(&prefix, "")).collect();
    assert_eq!(found, ["C.class", "b.jar!/D.class", "z/A.class", "z/y/B.class"]);
    assert_eq!(input.skipped.len(), 1);
    assert!(input.skipped[0].origin.ends_with("broken.jar"));
}

#[test]
fn what_is_too_large_is_left_out() {
    let zeros = vec![0; 1 << 20];
    let jar = archive(&[("Big.class", &zeros), ("A.class", CLASS), ("big.jar", &zeros)]);
    assert!(jar.len() < 10_000, "a bomb, if a small one");
    let limits = InputLimits { class_size: 1000, archive_size: 100_000, ..InputLimits::default() };
    let input = read("a.jar", &jar, limits);
    assert_eq!(origins(&input), ["a.jar!/A.class"]);
    assert_eq!(
        skipped(&input),
        ["a.jar!/Big.class: larger than 1000 bytes", "a.jar!/big.jar: larger than 100000 bytes"]
    );
    let limits = InputLimits { total: 1 << 19, ..InputLimits::default() };
    let input = read("a.jar", &jar, limits);
    assert!(skipped(&input)[0].ends_with("everything together is larger than 524288 bytes"));
    assert!(input.classes.is_empty());
    // the archive lies about the size of an entry
    let mut lying = jar.clone();
    let size = (1_u32 << 20).to_le_bytes();
    while let Some(at) = lying.windows(4).position(|it| it == size) {
        lying[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let limits = InputLimits { class_size: 1000, archive_size: 100_000, ..InputLimits::default() };
    let input = read("a.jar", &lying, limits);
    assert_eq!(origins(&input), ["a.jar!/A.class"]);
}

/// What has no size can have any.
#[cfg(unix)]
#[test]
fn a_device_is_read_no_further_than_a_file() {
    let limits = InputLimits { archive_size: 100_000, ..InputLimits::default() };
    let input = read_input(&["/dev/zero".into()], &[], limits);
    assert_eq!(skipped(&input), ["/dev/zero: larger than 100000 bytes"]);
}

#[test]
fn damage_is_named() {
    let mut jar = archive(&[("A.class", &[7; 500]), ("B.class", CLASS)]);
    // the data of the first entry begins behind its name
    let at = 30 + "A.class".len();
    jar[at..at + 4].copy_from_slice(&[0xff; 4]);
    let input = read("a.jar", &jar, InputLimits::default());
    assert_eq!(origins(&input), ["a.jar!/B.class"]);
    assert!(skipped(&input)[0].starts_with("a.jar!/A.class: "), "{:?}", skipped(&input));
    let input = read("text", b"text", InputLimits::default());
    assert_eq!(skipped(&input), ["text: neither a class file nor an archive"]);
    let input = read_input(&["/does/not/exist".into()], &["/".into()], InputLimits::default());
    let skipped = skipped(&input);
    assert!(skipped[0].starts_with("/does/not/exist: "), "{skipped:?}");
    assert_eq!(skipped[1], "/: not a JDK: it has neither jmods nor lib/modules");
    for length in 0..jar.len() {
        read("a.jar", &jar[..length], InputLimits::default());
    }
}

#[test]
fn modules_of_a_jdk() {
    let jmod = archive(&[
        ("classes/p/A.class", CLASS),
        ("classes/module-info.class", CLASS),
        ("lib/other.jar", b"not for us"),
    ]);
    let jmod = [b"JM\x01\x00", jmod.as_slice()].concat();
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("jmods")).unwrap();
    std::fs::write(home.path().join("jmods/java.base.jmod"), jmod).unwrap();
    let input = read_input(&[], &[home.path().to_owned()], InputLimits::default());
    assert_eq!((input.classes.len(), input.skipped.len()), (1, 0), "{:?}", input.skipped);
    assert!(input.classes[0].origin.ends_with("jmods/java.base.jmod!/classes/p/A.class"));
}

/// A run-time image with the resources `/m/p/A.class` and `/m/p/module-info.class`.
fn image() -> Vec<u8> {
    let strings = b"\0m\0p\0A\0class\0module-info\0";
    let locations = [
        // module 1, parent 3, base 5, extension 7, offset 0, size 8
        vec![1 << 3, 1, 2 << 3, 3, 3 << 3, 5, 4 << 3, 7, 5 << 3, 0, 7 << 3, 8, 0],
        vec![1 << 3, 1, 2 << 3, 3, 3 << 3, 13, 4 << 3, 7, (5 << 3) | 1, 0, 8, 7 << 3, 8, 0],
    ];
    let mut image = Vec::new();
    let size: usize = locations.iter().map(Vec::len).sum();
    for word in [0xcafe_dada, 1 << 16, 0, 2, 2, size as u32, strings.len() as u32] {
        image.extend(u32::to_le_bytes(word));
    }
    image.extend([0; 8]);
    image.extend(0_u32.to_le_bytes());
    image.extend((locations[0].len() as u32).to_le_bytes());
    image.extend(locations.concat());
    image.extend(strings);
    image.extend(CLASS);
    image.extend(CLASS);
    image
}

fn read_home(image: &[u8]) -> Input {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("lib")).unwrap();
    std::fs::write(home.path().join("lib/modules"), image).unwrap();
    read_input(&[], &[home.path().to_owned()], InputLimits::default())
}

#[test]
fn run_time_images() {
    let whole = image();
    let input = read_home(&whole);
    assert_eq!((input.classes.len(), input.skipped.len()), (1, 0), "{:?}", input.skipped);
    assert!(input.classes[0].origin.ends_with("lib/modules!/m/p/A.class"));
    assert_eq!(input.classes[0].bytes, CLASS);
    for length in 0..whole.len() - CLASS.len() {
        assert_eq!(read_home(&whole[..length]).skipped.len(), 1, "{length}");
    }
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= change;
            read_home(&damaged);
        }
    }
    // the size of the compressed resource, where its offset was
    let mut compressed = whole.clone();
    let at = compressed.windows(2).position(|it| it == [5 << 3, 0]).unwrap();
    compressed[at..at + 2].copy_from_slice(&[6 << 3, 9]);
    let skipped = skipped(&read_home(&compressed));
    assert!(
        skipped[0].ends_with("1 classes are compressed in the run-time image and cannot be read")
    );
}
