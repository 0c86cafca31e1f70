//! Messages survive the way over the socket; what is no message is refused.

mod common;

use common::*;
use interloper_tap::message::{MOST_BYTES, VERSION};
use interloper_tap::{
    Arena, Class, Connection, Field, Hello, Listener, Message, MessageError, Method, Site,
    SiteKind, TapError,
};
use interloper_trace::{Batch, Source};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

fn class() -> Class {
    let site = |id, kind| Site {
        id,
        kind,
        is_static: id % 2 == 0,
        owner: "a/B".into(),
        member: "größe".into(),
        method: 3,
        line: 12,
    };
    use SiteKind::*;
    let kinds = [Read, Write, ElementRead, ElementWrite, VolatileRead, VolatileWrite, Update, Call];
    Class {
        name: "a/B".into(),
        super_name: "a/A".into(),
        source: Some("B.java".into()),
        fields: vec![Field { name: "f".into(), access: 0x40 }, Field::default()],
        methods: vec![Method { id: 3, label: "a.B.c".into(), atomic: true, line: 0 }],
        sites: (1..).zip(kinds).map(|(id, kind)| site(id, kind)).collect(),
    }
}

fn all() -> Vec<Message> {
    let text = |text: &str| text.to_string();
    vec![
        Message::Hello(Hello { version: 1, pid: 2, java: text("21"), command: text("x y") }),
        Message::Class(class()),
        Message::Class(Class::default()),
        Message::Skipped { what: text("C"), reason: text("too large") },
        Message::Thread { uid: u32::MAX, name: text("main") },
        Message::ClassName { number: 0, name: text("[D") },
        Message::Note { text: text("") },
        Message::Bye { reason: text("done") },
    ]
}

fn encoded(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode(&mut bytes).expect("short enough");
    bytes
}

#[test]
fn what_is_encoded_is_decoded() {
    let mut bytes = Vec::new();
    for message in all() {
        message.encode(&mut bytes).expect("short enough");
    }
    let mut rest = &bytes[..];
    for expected in all() {
        let (message, length) = Message::decode(rest).expect("good").expect("whole");
        assert_eq!(message, expected);
        rest = &rest[length..];
    }
    assert_eq!(Message::decode(rest), Ok(None));
}

#[test]
fn a_message_that_is_not_all_there_is_waited_for() {
    for message in all() {
        let bytes = encoded(&message);
        for length in 0..bytes.len() {
            assert_eq!(Message::decode(&bytes[..length]), Ok(None));
        }
    }
}

#[test]
fn damaged_messages_are_errors_or_other_messages_but_never_a_panic() {
    for message in all() {
        let bytes = encoded(&message);
        for place in 4..bytes.len() {
            for value in [0, 1, 0x7f, 0xff, bytes[place] ^ 1] {
                let mut damaged = bytes.clone();
                damaged[place] = value;
                let _ = Message::decode(&damaged);
            }
            let mut shortened = bytes[..place].to_vec();
            shortened[..4].copy_from_slice(&(place as u32 - 4).to_le_bytes());
            assert_eq!(Message::decode(&shortened), Err(MessageError::Short));
        }
    }
}

#[test]
fn each_kind_of_damage_has_its_error() {
    let decoded = |body: &[u8]| {
        let mut bytes = (body.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(body);
        Message::decode(&bytes).expect_err("no message")
    };
    assert_eq!(decoded(&[99]), MessageError::Kind(99));
    assert_eq!(decoded(&[6, 1, 0, 0, 0, 0xff]), MessageError::Text);
    assert_eq!(decoded(&[6, 0, 0, 0, 0, 7]), MessageError::Trailing);
    let huge = (MOST_BYTES as u32 + 1).to_le_bytes();
    assert_eq!(Message::decode(&huge), Err(MessageError::TooLong(MOST_BYTES + 1)));
    let mut site = class();
    site.sites[0].id = 1 << 24;
    let bytes = encoded(&Message::Class(site));
    assert_eq!(Message::decode(&bytes), Err(MessageError::Value(1 << 24)));
}

#[test]
fn a_message_that_is_too_long_is_not_sent() {
    let (program, mut jvm) = connected(4, 1);
    assert!(!program.connection.send(&Message::Note { text: "x".repeat(MOST_BYTES) }));
    program.end();
    events(&mut jvm);
    assert_eq!((jvm.facts().notes_count, jvm.facts().ended), (0, Some("done".into())));
}

#[test]
fn a_program_whose_reader_is_gone_is_told_to_stop() {
    let (program, jvm) = connected(4, 1);
    drop(jvm);
    assert!(program.arena.is_stopped());

    let folder = Folder::new();
    let listener = Listener::bind(&folder.0).expect("bind");
    let arena = Arc::new(Arena::create(4, 1).expect("arena"));
    let connection = Connection::open(&folder.0, arena, Hello::default()).expect("open");
    drop(listener);
    let note = Message::Note { text: "x".repeat(1 << 20) };
    while !connection.arena().is_stopped() {
        assert!(connection.send(&note));
    }
    assert!(connection.send(&note));
}

#[test]
fn nobody_connects_and_the_listener_says_so() {
    let folder = Folder::new();
    let listener = Listener::bind(&folder.0).expect("bind");
    assert!(listener.accept(Duration::from_millis(1)).expect("no error").is_none());
}

#[test]
fn whoever_is_no_jvm_is_turned_away() {
    let folder = Folder::new();
    let listener = Listener::bind(&folder.0).expect("bind");
    let refused = |bytes: &[u8]| {
        let mut stream = UnixStream::connect(folder.0.join("socket")).expect("connect");
        stream.write_all(bytes).expect("write");
        drop(stream);
        listener.accept(Duration::from_secs(5)).err().expect("refused")
    };
    assert!(matches!(refused(b""), TapError::NoHello));
    assert!(matches!(refused(&[0xff; 100]), TapError::Message(MessageError::TooLong(_))));
    // Without an arena.
    let hello = Hello { version: VERSION, ..Hello::default() };
    assert!(matches!(refused(&encoded(&Message::Hello(hello))), TapError::NoHello));
    // With one, but of another version.
    let arena = Arc::new(Arena::create(4, 1).expect("arena"));
    let hello = Hello { version: VERSION + 1, ..Hello::default() };
    let _connection = Connection::open(&folder.0, arena, hello).expect("open");
    let refused = listener.accept(Duration::from_secs(5)).err();
    assert!(matches!(refused, Some(TapError::Version(version)) if version == VERSION + 1));
}

#[test]
fn nonsense_on_the_socket_ends_the_stream_and_not_the_reader() {
    let folder = Folder::new();
    let listener = Listener::bind(&folder.0).expect("bind");
    let arena = Arc::new(Arena::create(4, 1).expect("arena"));
    let hello = Hello { version: VERSION, ..Hello::default() };
    let connection = Connection::open(&folder.0, Arc::clone(&arena), hello).expect("open");
    let mut jvm = listener.accept(Duration::from_secs(5)).expect("accept").expect("a JVM");
    let mut site = class();
    site.sites[0].id = 1 << 24;
    connection.send(&Message::Class(site));
    assert!(!jvm.next_batch(&mut Batch::default()).expect("no error"));
    assert!(arena.is_stopped() && jvm.facts().damaged.is_some());
    assert!(!jvm.next_batch(&mut Batch::default()).expect("still none"));
}
