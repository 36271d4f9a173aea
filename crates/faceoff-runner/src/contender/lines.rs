//! Lines of code, counted by a library: neither blanks nor comments.

use faceoff_record::{Contender, Figure, Start};
use tokei::{Config, LanguageType};

use super::sources_of;

/// The lines of code of a contender's source globs, in languages that the library knows.
pub(crate) fn lines_of_code(contender: &Contender) -> Figure<u64> {
    let Start::Managed(managed) = &contender.start else {
        return Figure::absent("its source is not known");
    };
    if managed.source.is_empty() {
        return Figure::absent("it names no `source` files");
    }
    let files = match sources_of(managed) {
        Ok(files) => files,
        Err(error) => return Figure::absent(error.to_string()),
    };
    if files.is_empty() {
        return Figure::absent("its `source` globs match no file");
    }
    let config = Config::default();
    let mut lines = None;
    for path in files {
        let Some(language) = LanguageType::from_path(&path, &config) else {
            continue;
        };
        match language.parse(path, &config) {
            Ok(report) => *lines.get_or_insert(0) += report.stats.code as u64,
            Err((error, path)) => return Figure::absent(format!("{}: {error}", path.display())),
        }
    }
    lines.map_or_else(
        || Figure::absent("the library that counts lines does not know its languages"),
        Figure::Known,
    )
}
