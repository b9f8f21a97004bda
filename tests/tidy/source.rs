//! Reading Rust closely enough to tell code from comments, strings and tests, and no closer.

/// A Rust file, line for line: as it is, without comments, and without comments and the insides of strings.
pub struct Source<'t> {
    raw: Vec<&'t str>,
    pub text: Vec<String>,
    pub code: Vec<String>,
    test: Vec<bool>,
}

impl<'t> Source<'t> {
    pub fn new(path: &str, text: &'t str) -> Self {
        let (no_comments, code) = strip(text);
        let split = |text: String| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
        let whole = path.ends_with("/tests.rs")
            || path.contains("/tests/")
            || code.contains("#![cfg(test)]");
        let test = if whole {
            vec![true; code.split('\n').count()]
        } else {
            test_lines(&code)
        };
        Self {
            raw: text.split('\n').collect(),
            text: split(no_comments),
            code: split(code),
            test,
        }
    }

    /// The lines that are not tests, with their numbers.
    pub fn library_lines<'s>(
        &'s self,
        lines: &'s [String],
    ) -> impl Iterator<Item = (usize, &'s str)> {
        lines
            .iter()
            .enumerate()
            .filter(|(index, _)| !self.test[*index])
            .map(|(index, line)| (index + 1, line.as_str()))
    }

    /// Whether the statement that reaches this line says why it cannot fail: rustfmt decides where the comment ends up.
    pub fn gives_reason(&self, number: usize) -> bool {
        let says = |index: usize| self.raw[index].contains("// cannot fail: ");
        let ends = |index: usize| self.code[index].trim_end().ends_with([';', '{', '}']);
        says(number - 1)
            || (0..number - 1)
                .rev()
                .take_while(|index| !ends(*index))
                .any(says)
    }
}

/// Blanks comments, and then also the insides of strings and characters; lines stay where they are.
fn strip(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut no_comments, mut code) = (String::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        let (end, kind) = token(&chars, at);
        for (index, c) in (at..end).zip(&chars[at..end]) {
            let inside = kind == Kind::Quoted && index > at && index + 1 < end;
            let blank = |hidden: bool| if hidden && *c != '\n' { ' ' } else { *c };
            no_comments.push(blank(kind == Kind::Comment));
            code.push(blank(kind == Kind::Comment || inside));
        }
        at = end;
    }
    (no_comments, code)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Code,
    Comment,
    /// A string or a character.
    Quoted,
}

/// Where the token at a place ends, and what it is.
fn token(chars: &[char], at: usize) -> (usize, Kind) {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\n');
    match chars[at] {
        '/' if next(1) == '/' => (find(chars, at, |i| chars[i] == '\n'), Kind::Comment),
        '/' if next(1) == '*' => (comment_end(chars, at), Kind::Comment),
        '"' => (literal_end(chars, at), Kind::Quoted),
        // A lifetime has no closing quote after one character.
        '\'' if next(1) == '\\' || next(2) == '\'' => (literal_end(chars, at), Kind::Quoted),
        'r' if at == 0 || !is_word(chars[at - 1]) || chars[at - 1] == 'b' => {
            let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            match next(1 + hashes) {
                '"' => (raw_end(chars, at, hashes), Kind::Quoted),
                _ => (at + 1, Kind::Code),
            }
        }
        _ => (at + 1, Kind::Code),
    }
}

/// The first place from here on that fits, or the end.
fn find(chars: &[char], from: usize, fits: impl Fn(usize) -> bool) -> usize {
    (from..chars.len())
        .find(|i| fits(*i))
        .unwrap_or(chars.len())
}

/// Behind a block comment; they nest.
fn comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    chars.len()
}

/// Behind a string or a character: at the same quote again, with an even number of backslashes before it.
fn literal_end(chars: &[char], start: usize) -> usize {
    let slashes = |i: usize| {
        chars[start + 1..i]
            .iter()
            .rev()
            .take_while(|c| **c == '\\')
            .count()
    };
    let closes = |i: usize| chars[i] == chars[start] && slashes(i) % 2 == 0;
    (find(chars, start + 1, closes) + 1).min(chars.len())
}

/// Behind a raw string: at a quote with as many hashes as it began with.
fn raw_end(chars: &[char], start: usize, hashes: usize) -> usize {
    let after = |i: usize| chars[i + 1..].iter().take_while(|c| **c == '#').count();
    let closes = |i: usize| chars[i] == '"' && after(i) >= hashes;
    (find(chars, start + hashes + 2, closes) + 1 + hashes).min(chars.len())
}

/// Which lines belong to an item that exists in tests only.
fn test_lines(code: &str) -> Vec<bool> {
    let mut test = vec![false; code.split('\n').count()];
    for marker in ["#[cfg(test)]", "#[cfg(all(test,"] {
        for (start, _) in code.match_indices(marker) {
            let attribute = start + code[start..].find(']').unwrap_or_default() + 1;
            let end = item_end(code, attribute);
            let line = |at: usize| code[..at].matches('\n').count();
            test[line(start)..=line(end)].fill(true);
        }
    }
    test
}

/// Where the item that begins here ends: at a semicolon or a closing brace outside of all brackets.
fn item_end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (offset, c) in code[start..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth <= 0 && matches!(c, ';' | '}') {
            return start + offset;
        }
    }
    code.len()
}

/// Library code: what others link, and what the tools are made of.
pub fn is_library(path: &str) -> bool {
    path.ends_with(".rs")
        && (path.starts_with("src/")
            || path.starts_with("shaders/src/")
            || path.starts_with("crates/") && path.contains("/src/"))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a line has this word, by itself.
pub fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_word) && (word.ends_with('!') || !after.is_some_and(is_word))
    })
}

/// Lines with their numbers, from 1.
pub fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
}

#[test]
fn code_is_told_from_comments_and_strings() {
    let code = |text: &str| {
        strip(text)
            .1
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(code("a /* b /* c */ d */ e // f\ng"), "a e g");
    assert_eq!(
        code(r##"a("b\"c", 'd', '\'', '"') e"##),
        "a(\" \", ' ', ' ', ' ') e"
    );
    assert_eq!(code("f(br#\"a\"b\"#) /* c"), "f(br #)");
    assert_eq!(
        code("fn f<'a>(b: &'a str) -> &'static str { r }"),
        "fn f<'a>(b: &'a str) -> &'static str { r }"
    );
    assert_eq!(strip("a /*\n\n*/ \"\n\"").1.matches('\n').count(), 3);
}

#[test]
fn items_of_tests_end_where_they_end() {
    let tests = |text: &str| {
        test_lines(text)
            .iter()
            .map(|test| u8::from(*test))
            .collect::<Vec<_>>()
    };
    assert_eq!(tests("a\n#[cfg(test)]\nuse b;\nc"), [0, 1, 1, 0]);
    assert_eq!(
        tests("#[cfg(test)]\nfn a(b: [u8; 2]) {\n{ }\n}\nc"),
        [1, 1, 1, 1, 0]
    );
    assert_eq!(
        tests("#[cfg(all(test, unix))]\n#[x]\nmod a;\nb"),
        [1, 1, 1, 0]
    );
}
