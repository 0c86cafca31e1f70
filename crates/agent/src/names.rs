//! Class signatures as people read them.

/// `[I` becomes `int[]`, `Lcom/acme/Account;` becomes `com.acme.Account`.
pub fn readable(signature: &str) -> String {
    let element = signature.trim_start_matches('[');
    let dimensions = signature.len() - element.len();
    let mut name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        "V" => "void".to_owned(),
        object => internal_name(object).unwrap_or(object).replace('/', "."),
    };
    name.extend(std::iter::repeat_n("[]", dimensions));
    name
}

/// The name in `Lname;`; `None` for arrays and primitive types.
pub fn internal_name(signature: &str) -> Option<&str> {
    signature.strip_prefix('L')?.strip_suffix(';')
}

/// Whether this is a class without a name of its own that can be found again (the JVM writes a dot
/// into it).
pub fn is_hidden(internal_name: &str) -> bool {
    internal_name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_become_source_names() {
        assert_eq!(readable("[[I"), "int[][]");
        assert_eq!(readable("[Ljava/lang/String;"), "java.lang.String[]");
        assert_eq!(readable("Lcom/acme/Bank$Account;"), "com.acme.Bank$Account");
        assert_eq!(readable("J"), "long");
    }

    #[test]
    fn only_plain_classes_have_an_internal_name() {
        assert_eq!(internal_name("Ljava/util/List;"), Some("java/util/List"));
        assert_eq!(internal_name("[Ljava/util/List;"), None);
        assert_eq!(internal_name("I"), None);
    }
}
