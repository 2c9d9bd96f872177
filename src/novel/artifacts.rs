//! Artifacts: texts identified by their contents, as `artifact:` and twelve digits of a SHA-256 hash, regardless of
//! the file that contains them.
//!
//! A stored artifact is a content file under `.noveler/artifacts/` and a metadata file written after it; a content file
//! without metadata is left from a crash and is not an artifact. Stage outputs, converted results and the novel's own
//! files are found by their hash without a copy. A file named by a hash is never returned with other contents.

use std::{collections::BTreeSet, sync::Arc};

use fumi_base::{
    atomic_write::replace,
    encoding::{self, Decoded, EncodingChoice},
    errors::unless_unreadable,
    files,
    listing::{FolderEntry, FolderEntryKind, list},
    project::{Project, ProjectPath},
    watched_path::file_stamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    errors::artifact::ArtifactError,
    project::{NovelProject, read_yaml, read_yaml_text},
    references::{ContentHash, FileReference, FileWalk, WalkItem, find_by_hash},
    writing::UtcTime,
};

/// The folder of stored artifacts.
const KEPT: &str = ".noveler/artifacts";

/// The folder in which writing sessions store the outputs of their stages.
const WRITES: &str = ".noveler/writes";

/// The folder for large parts of converted results.
const OUTPUTS: &str = ".noveler/json_output";

/// The suffix of the metadata file, after the hash of the content.
const META: &str = ".meta.yaml";

/// The largest number of names listed in one of these folders.
const NAMES: usize = 20_000;

/// The largest text that is shown, in bytes.
const TEXT_BYTES: u64 = 16 << 20;

/// The kind of a text, which determines the file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// Markdown, including manuscripts.
    Markdown,
    /// Text without markup.
    Plain,
    Yaml,
    Json,
    /// An SVG picture.
    Svg,
}

impl ArtifactKind {
    const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Plain => "txt",
            Self::Yaml => "yaml",
            Self::Json => "json",
            Self::Svg => "svg",
        }
    }
}

/// The storage location of an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArtifactOrigin {
    /// Stored as an artifact.
    #[serde(rename = "artifact")]
    Kept,
    /// The output of a stage or of one of its turns.
    Stage,
    /// A part of a converted result.
    Output,
    /// A file of the novel itself.
    Novel,
}

impl ArtifactOrigin {
    /// All locations, in search order.
    pub const ALL: [Self; 4] = [Self::Kept, Self::Stage, Self::Output, Self::Novel];
}

/// A content that can be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NovelArtifact {
    /// The file with the content.
    pub file: FileReference,
    /// The location of the file.
    pub origin: ArtifactOrigin,
    /// The tool that made the content, if known.
    pub source_tool: Option<String>,
    /// The time of storing, if recorded.
    pub created_at: Option<UtcTime>,
    /// The modification time of the file, in seconds since 1970.
    pub modified: Option<i64>,
}

/// The artifacts that were found, and the broken ones.
#[derive(Clone, Debug, Default)]
pub struct ArtifactListing {
    /// The artifacts by location, then by path; stored ones by time, newest first.
    pub artifacts: Vec<NovelArtifact>,
    /// Paths of files left by a crash, changed since they were written, or unreadable.
    pub broken: Vec<String>,
}

/// The metadata of a stored artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ArtifactMetadata {
    source_tool: String,
    created_at: Option<UtcTime>,
    hash: String,
    content_type: String,
    size: u64,
}

/// The artifacts of a novel.
#[derive(Clone, Debug)]
pub struct ArtifactStore {
    novel: NovelProject,
}

impl ArtifactStore {
    /// Creates access to the artifacts of a novel.
    pub fn new(novel: NovelProject) -> Self {
        Self { novel }
    }

    fn project(&self) -> &Arc<Project> {
        self.novel.project()
    }

    /// Stores a text as an artifact. An intact stored copy is kept with its time.
    ///
    /// # Panics
    /// Never: all metadata can be represented in YAML.
    pub fn keep(
        &self,
        text: &str,
        kind: ArtifactKind,
        source_tool: &str,
        now: &UtcTime,
    ) -> Result<NovelArtifact, ArtifactError> {
        let hash = ContentHash::from_bytes(text.as_bytes());
        let path = format!("{KEPT}/{hash}.{}", kind.extension());
        if let Some(file) = self.project().find(&path)?
            && let Some(artifact) = unless_unreadable(self.kept(&file))?
        {
            return Ok(artifact);
        }
        replace(self.project(), &path, text.as_bytes())?;
        let reference = FileReference::read(&self.project().resolve(&path)?)?;
        let known = ArtifactMetadata {
            source_tool: source_tool.to_owned(),
            created_at: Some(now.clone()),
            hash: hash.digits().to_owned(),
            content_type: reference.content_type.to_owned(),
            size: reference.size,
        };
        let yaml = serde_saphyr::to_string(&known).expect("texts and numbers can be represented in YAML");
        // Written last, because the metadata implies that the content exists.
        replace(self.project(), &format!("{KEPT}/{hash}{META}"), yaml.as_bytes())?;
        self.kept(&self.project().resolve(&path)?)
    }

    /// Writes a part of a result to a file named by its hash, unless an intact file exists.
    pub fn write_output(&self, text: &str, kind: ArtifactKind) -> Result<FileReference, ArtifactError> {
        let hash = ContentHash::from_bytes(text.as_bytes());
        let path = format!("{OUTPUTS}/{hash}.{}", kind.extension());
        if let Some(file) = self.project().find(&path)?
            && let Some(reference) = unless_unreadable(verified_reference(&file))?
        {
            return Ok(reference);
        }
        replace(self.project(), &path, text.as_bytes())?;
        Ok(FileReference::read(&self.project().resolve(&path)?)?)
    }

    /// Finds the content with a hash: stored artifacts are preferred to outputs, and outputs to the project's files.
    pub fn find(&self, hash: &ContentHash, is_over: impl Fn() -> bool) -> Result<NovelArtifact, ArtifactError> {
        let mut broken = Vec::new();
        for origin in [ArtifactOrigin::Kept, ArtifactOrigin::Stage, ArtifactOrigin::Output] {
            let found = self.named(origin, hash, &mut broken)?;
            if let Some(artifact) = single_content(hash, found)? {
                return Ok(artifact);
            }
        }
        // The novel's own files are searched first, because backups and other files may be many times as large.
        for top in self.novel.own_files().unwrap_or_default() {
            let matches = find_by_hash(&top, hash, &is_over)?;
            if let Some(artifact) = single_content(hash, self.of_novel(matches.files))? {
                return Ok(artifact);
            }
        }
        let matches = find_by_hash(&self.project().root_path(), hash, is_over)?;
        if let Some(artifact) = single_content(hash, self.of_novel(matches.files))? {
            return Ok(artifact);
        }
        if let Some(path) = broken.pop() {
            return Err(ArtifactError::ArtifactDamaged { path });
        }
        Err(ArtifactError::ArtifactNotFound {
            hash: hash.to_string(),
            count: matches.looked_at,
            is_cut: matches.is_cut,
        })
    }

    /// Returns every file with a hash. Files with different contents are an error, and so is an empty result.
    pub fn all(&self, hash: &ContentHash, is_over: impl Fn() -> bool) -> Result<Vec<NovelArtifact>, ArtifactError> {
        let mut all = Vec::new();
        for origin in [ArtifactOrigin::Kept, ArtifactOrigin::Stage, ArtifactOrigin::Output] {
            all.extend(self.named(origin, hash, &mut Vec::new())?);
        }
        let matches = find_by_hash(&self.project().root_path(), hash, is_over)?;
        all.extend(self.of_novel(matches.files));
        single_content(hash, all.clone())?.ok_or_else(|| ArtifactError::ArtifactNotFound {
            hash: hash.to_string(),
            count: matches.looked_at,
            is_cut: matches.is_cut,
        })?;
        Ok(all)
    }

    /// Lists the artifacts of some locations.
    pub fn list(
        &self,
        origins: &[ArtifactOrigin],
        is_over: impl Fn() -> bool,
    ) -> Result<ArtifactListing, ArtifactError> {
        let mut listing = ArtifactListing::default();
        for origin in ArtifactOrigin::ALL.iter().filter(|origin| origins.contains(origin)) {
            match origin {
                ArtifactOrigin::Novel => self.list_novel(&mut listing, &is_over)?,
                named => self.list_named(*named, &mut listing, &is_over)?,
            }
        }
        Ok(listing)
    }

    /// Returns the text of an artifact in any encoding.
    pub fn text(&self, artifact: &NovelArtifact) -> Result<Decoded, ArtifactError> {
        let file = &artifact.file;
        let not_text = || ArtifactError::NotAText { path: file.path.clone(), content_type: file.content_type };
        let bytes = files::read(&self.project().resolve(&file.path)?, TEXT_BYTES)?;
        // The artifact was found by its content, but the file may have been replaced since.
        if ContentHash::from_bytes(&bytes) != file.hash {
            return Err(ArtifactError::ArtifactDamaged { path: file.path.clone() });
        }
        let decoded = encoding::decode(&bytes, EncodingChoice::Auto);
        if file.content_type == "application/epub+zip" || decoded.damaged || decoded.text.contains('\0') {
            return Err(not_text());
        }
        Ok(decoded)
    }

    /// Lists the files named by hashes: those of a folder, or, for sessions, those of each session's folder.
    fn files_of(&self, origin: ArtifactOrigin) -> Result<Vec<FolderEntry>, ArtifactError> {
        let listed = |folder: &str| -> Result<Vec<FolderEntry>, ArtifactError> {
            let Some(folder) = self.project().find(folder)? else {
                return Ok(Vec::new());
            };
            Ok(list(&folder, NAMES)?.0)
        };
        let top = match origin {
            ArtifactOrigin::Kept => listed(KEPT)?,
            ArtifactOrigin::Output => listed(OUTPUTS)?,
            ArtifactOrigin::Stage => {
                let mut files = Vec::new();
                for session in listed(WRITES)?.into_iter().filter(|entry| entry.kind == FolderEntryKind::Folder) {
                    files.extend(list(&session.path, NAMES)?.0);
                }
                files
            }
            ArtifactOrigin::Novel => Vec::new(),
        };
        let is_content = |entry: &FolderEntry| entry.kind == FolderEntryKind::File && !entry.name.ends_with(META);
        Ok(top.into_iter().filter(is_content).collect())
    }

    /// Returns the files of a location that are named by the hash and have that content.
    fn named(
        &self,
        origin: ArtifactOrigin,
        hash: &ContentHash,
        broken: &mut Vec<String>,
    ) -> Result<Vec<NovelArtifact>, ArtifactError> {
        let mut found = Vec::new();
        let files = self.files_of(origin)?.into_iter();
        for entry in files.filter(|entry| hash_in_name(&entry.name).is_some_and(|said| said.is_prefix_match(hash))) {
            match self.artifact(origin, &entry.path) {
                // The names of stage outputs have only twelve digits.
                Ok(artifact) if artifact.file.hash.is_prefix_match(hash) => found.push(artifact),
                Ok(_) => {}
                Err(_) => broken.push(entry.path.shown()),
            }
        }
        Ok(found)
    }

    /// Returns a file if its content matches the hash in its name.
    fn artifact(&self, origin: ArtifactOrigin, file: &ProjectPath) -> Result<NovelArtifact, ArtifactError> {
        match origin {
            ArtifactOrigin::Kept => self.kept(file),
            _ => Ok(self.in_place(verified_reference(file)?, origin)),
        }
    }

    /// Returns a stored artifact with its metadata.
    fn kept(&self, file: &ProjectPath) -> Result<NovelArtifact, ArtifactError> {
        let reference = verified_reference(file)?;
        let path = format!("{KEPT}/{}{META}", reference.hash);
        let known: ArtifactMetadata = read_yaml(&path, &read_yaml_text(&self.project().resolve(&path)?)?)?;
        if known.hash != reference.hash.digits() {
            return Err(ArtifactError::ArtifactDamaged { path });
        }
        Ok(NovelArtifact {
            source_tool: Some(known.source_tool),
            created_at: known.created_at,
            ..self.in_place(reference, ArtifactOrigin::Kept)
        })
    }

    fn of_novel(&self, files: Vec<FileReference>) -> Vec<NovelArtifact> {
        let files = files.into_iter();
        files.map(|file| self.in_place(file, ArtifactOrigin::Novel)).collect()
    }

    fn in_place(&self, file: FileReference, origin: ArtifactOrigin) -> NovelArtifact {
        let source_tool = match origin {
            ArtifactOrigin::Stage => Some("write_stage"),
            ArtifactOrigin::Output => Some("convert_cli_to_json"),
            ArtifactOrigin::Kept | ArtifactOrigin::Novel => None,
        };
        let path = self.project().find(&file.path).ok().flatten();
        NovelArtifact {
            modified: path.and_then(|path| file_stamp(&path).ok()?).map(|mark| mark.modified.0),
            source_tool: source_tool.map(str::to_owned),
            created_at: None,
            origin,
            file,
        }
    }

    fn list_named(
        &self,
        origin: ArtifactOrigin,
        listing: &mut ArtifactListing,
        is_over: impl Fn() -> bool,
    ) -> Result<(), ArtifactError> {
        let mut found = Vec::new();
        for entry in self.files_of(origin)?.into_iter().take_while(|_| !is_over()) {
            if hash_in_name(&entry.name).is_none() {
                // Other files, such as a log or a user's note.
                continue;
            }
            match self.artifact(origin, &entry.path) {
                Ok(artifact) => found.push(artifact),
                Err(_) => listing.broken.push(entry.path.shown()),
            }
        }
        found.sort_by(|a, b| b.created_at.cmp(&a.created_at).then_with(|| a.file.path.cmp(&b.file.path)));
        listing.artifacts.extend(found);
        Ok(())
    }

    /// Lists the novel's own files: its settings and the contents of its folders except backups.
    fn list_novel(&self, listing: &mut ArtifactListing, is_over: impl Fn() -> bool) -> Result<(), ArtifactError> {
        let mut seen = BTreeSet::new();
        for top in self.novel.own_files()? {
            for met in FileWalk::new(&top)?.take_while(|_| !is_over()) {
                let file = match met? {
                    WalkItem::File(file) => file,
                    WalkItem::Skipped(path) => {
                        listing.broken.push(path);
                        continue;
                    }
                };
                if !seen.insert(file.shown()) {
                    continue;
                }
                match FileReference::read(&file) {
                    Ok(reference) => listing.artifacts.push(self.in_place(reference, ArtifactOrigin::Novel)),
                    Err(_) => listing.broken.push(file.shown()),
                }
            }
        }
        Ok(())
    }
}

/// Parses the hash in a file name: the whole stem, or the part after its last hyphen.
fn hash_in_name(name: &str) -> Option<ContentHash> {
    let (stem, _) = name.split_once('.')?;
    let digits = stem.rsplit('-').next().unwrap_or(stem);
    ContentHash::parse(digits).filter(|_| !digits.contains(':'))
}

/// Returns a reference if the content matches the hash in the file name.
fn verified_reference(file: &ProjectPath) -> Result<FileReference, ArtifactError> {
    let reference = FileReference::read(file)?;
    let name = reference.path.rsplit('/').next().unwrap_or_default();
    if hash_in_name(name).is_some_and(|said| said.is_prefix_match(&reference.hash)) {
        Ok(reference)
    } else {
        Err(ArtifactError::ArtifactDamaged { path: reference.path })
    }
}

/// Returns the first of several files with the same content; different contents are an error.
fn single_content(hash: &ContentHash, found: Vec<NovelArtifact>) -> Result<Option<NovelArtifact>, ArtifactError> {
    if found.windows(2).any(|pair| pair[0].file.hash != pair[1].file.hash) {
        return Err(ArtifactError::HashAmbiguous {
            hash: hash.to_string(),
            paths: found.into_iter().map(|artifact| artifact.file.path).collect(),
        });
    }
    Ok(found.into_iter().next())
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use fumi_base::{errors::UserError, project::Project};

    use super::{ArtifactKind, ArtifactOrigin, ArtifactStore};
    use crate::{
        project::{NovelProject, ProjectNames},
        references::ContentHash,
        writing::UtcTime,
    };

    fn made() -> (tempfile::TempDir, ArtifactStore) {
        let root = tempfile::tempdir().expect("a folder");
        let project = Project::open(root.path()).expect("a project");
        (root, ArtifactStore::new(NovelProject::new(project, ProjectNames::default())))
    }

    fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn at(second: u32) -> UtcTime {
        UtcTime::parse(&format!("2026-01-31T10:00:{second:02}Z")).expect("a time")
    }

    fn hash(text: &str) -> ContentHash {
        ContentHash::from_bytes(text.as_bytes())
    }

    fn refused(artifacts: &ArtifactStore, hash: &ContentHash) -> &'static str {
        artifacts.find(hash, || false).expect_err("refused").entry()
    }

    #[test]
    fn a_text_is_kept_once_and_found_by_a_few_digits() {
        let (root, artifacts) = made();
        let kept = artifacts.keep("朝。", ArtifactKind::Markdown, "noveler_plot", &at(1)).expect("stored");
        let again = artifacts.keep("朝。", ArtifactKind::Markdown, "write", &at(2)).expect("stored");
        assert_eq!(again, kept);
        assert_eq!((kept.source_tool.as_deref(), kept.created_at.clone()), (Some("noveler_plot"), Some(at(1))));
        let short = ContentHash::parse(&kept.file.hash.artifact_id()).expect("an id");
        let found = artifacts.find(&short, || false).expect("found");
        assert_eq!(found, kept);
        assert_eq!(artifacts.text(&found).expect("read").text, "朝。");
        assert_eq!(fs::read_dir(root.path().join(".noveler/artifacts")).expect("exists").count(), 2);
        assert_eq!(refused(&artifacts, &hash("夜。")), "ARTIFACT_NOT_FOUND");
    }

    #[test]
    fn content_without_metadata_is_damaged_until_stored_again() {
        let (root, artifacts) = made();
        // The process stopped after the content was written.
        let content = format!(".noveler/artifacts/{}.md", hash("朝。"));
        write(root.path(), &content, "朝。");
        let listing = artifacts.list(&ArtifactOrigin::ALL, || false).expect("listed");
        assert_eq!((listing.artifacts.len(), listing.broken), (0, vec![content.clone()]));
        assert_eq!(refused(&artifacts, &hash("朝。")), "ARTIFACT_DAMAGED");
        artifacts.keep("朝。", ArtifactKind::Markdown, "write", &at(1)).expect("stored");
        assert_eq!(artifacts.list(&ArtifactOrigin::ALL, || false).expect("listed").artifacts.len(), 1);
        // A changed content is not returned under its old name, and storing it anew restores it.
        write(root.path(), &content, "違う");
        assert_eq!(refused(&artifacts, &hash("朝。")), "ARTIFACT_DAMAGED");
        artifacts.keep("朝。", ArtifactKind::Markdown, "write", &at(2)).expect("stored");
        assert_eq!(artifacts.find(&hash("朝。"), || false).expect("whole").created_at, Some(at(2)));
        // The metadata does not match the content.
        let known = format!(".noveler/artifacts/{}.meta.yaml", hash("朝。"));
        write(root.path(), &known, "hash: 00\n");
        assert_eq!(refused(&artifacts, &hash("朝。")), "ARTIFACT_DAMAGED");
    }

    #[test]
    fn hash_is_searched_in_all_locations() {
        let (root, artifacts) = made();
        let stage = |text: &str| {
            format!(".noveler/writes/session_20260131_100000_0123abcd/stage_01-{}.yaml", &hash(text).digits()[..12])
        };
        write(root.path(), &stage("a: 1\n"), "a: 1\n");
        write(root.path(), &stage("b: 1\n"), "b: 2\n");
        write(root.path(), ".noveler/writes/session_20260131_100000_0123abcd/io.log", "読んだ");
        write(root.path(), "40_原稿/第001話.md", "朝。");
        write(root.path(), "90_バックアップ/a.md", "朝。");
        write(root.path(), "絵.epub", [0x50, 0x4b, 0, 1]);
        let output = artifacts.write_output("{}", ArtifactKind::Json).expect("written");
        assert_eq!(artifacts.write_output("{}", ArtifactKind::Json).expect("written again"), output);
        for (text, origin, tool) in [
            ("a: 1\n", ArtifactOrigin::Stage, Some("write_stage")),
            ("{}", ArtifactOrigin::Output, Some("convert_cli_to_json")),
            ("朝。", ArtifactOrigin::Novel, None),
        ] {
            let found = artifacts.find(&hash(text), || false).expect(text);
            assert_eq!((found.origin, found.source_tool.as_deref()), (origin, tool), "{text}");
            assert!(found.modified.is_some());
        }
        assert_eq!(refused(&artifacts, &hash("b: 1\n")), "ARTIFACT_DAMAGED");
        assert_eq!(refused(&artifacts, &hash("b: 2\n")), "ARTIFACT_NOT_FOUND");
        assert_eq!(refused(&artifacts, &hash("読んだ")), "ARTIFACT_NOT_FOUND");
        let all = artifacts.all(&hash("朝。"), || false).expect("all");
        let paths: Vec<&str> = all.iter().map(|artifact| artifact.file.path.as_str()).collect();
        assert_eq!(paths, ["40_原稿/第001話.md", "90_バックアップ/a.md"]);
        let picture = artifacts.find(&ContentHash::from_bytes(&[0x50, 0x4b, 0, 1]), || false).expect("found");
        assert_eq!(artifacts.text(&picture).expect_err("not text").entry(), "NOT_A_TEXT");
        // Two texts whose hashes begin with the same twelve digits.
        let twins = ["collision 6594748\n", "collision 7638166\n"];
        for (name, text) in ["一.txt", "二.txt"].into_iter().zip(twins) {
            write(root.path(), name, text);
        }
        let short = ContentHash::parse("c892401486c7").expect("a hash");
        assert_eq!(refused(&artifacts, &short), "HASH_AMBIGUOUS");
        assert_eq!(artifacts.all(&short, || false).expect_err("two").entry(), "HASH_AMBIGUOUS");
        assert_eq!(artifacts.find(&hash(twins[1]), || false).expect("one").file.path, "二.txt");
        let listing = artifacts.list(&ArtifactOrigin::ALL, || false).expect("listed");
        let origins: Vec<ArtifactOrigin> = listing.artifacts.iter().map(|artifact| artifact.origin).collect();
        assert_eq!(origins, [ArtifactOrigin::Stage, ArtifactOrigin::Output, ArtifactOrigin::Novel]);
        assert_eq!(listing.broken, [stage("b: 1\n")]);
    }
}
