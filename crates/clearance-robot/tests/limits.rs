//! Small files made to take much time or memory: every reader stays within what the guide
//! (`docs/guide/src/accuracy-and-limits.md`) promises.

#[path = "../../clearance-io/tests/limits/bounded.rs"]
mod bounded;

use bounded::bounded;
use clearance_engine::math::DVec3;
use clearance_robot::{
    Configurations, ErrorKind, HullLinks, JointSpec, Robot, RobotBuilder, Scene, SceneOptions, Srdf, UrdfOptions,
    load_urdf, read_urdf,
};
use std::fmt::Write as _;

/// A strip of triangles as an OFF file.
fn strip(triangles: usize) -> String {
    let mut text = format!("OFF\n{} {triangles} 0\n", triangles + 2);
    (0..triangles + 2).for_each(|i| writeln!(text, "{i} {} 0", i % 2).unwrap());
    (0..triangles).for_each(|i| writeln!(text, "3 {i} {} {}", i + 1, i + 2).unwrap());
    text
}

/// A URDF file whose links all hang on the first one, and have the mesh with this scale.
fn many_links(count: usize, uri: impl Fn(usize) -> String, scale: impl Fn(usize) -> String) -> String {
    let mut text = "<robot name='r'>".to_owned();
    for i in 0..count {
        let (uri, scale) = (uri(i), scale(i));
        let _ = write!(
            text,
            "<link name='l{i}'><collision><geometry><mesh filename='{uri}' scale='{scale}'/></geometry></collision></link>"
        );
        if i > 0 {
            let _ = write!(text, "<joint name='j{i}' type='fixed'><parent link='l0'/><child link='l{i}'/></joint>");
        }
    }
    text + "</robot>"
}

#[test]
fn a_mesh_is_kept_once_however_many_links_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = strip(20_000);
    std::fs::write(folder.path().join("strip.off"), &mesh).unwrap();
    let one = |_| "1 1 1".to_owned();
    let text = many_links(5000, |i| format!("{}strip.off", "./".repeat(i % 100)), one);
    let options = UrdfOptions { base_dir: Some(folder.path().into()), ..UrdfOptions::default() };
    let robot = bounded("links", text.len() + mesh.len(), 30, || read_urdf(&text, &options)).unwrap();
    assert_eq!(robot.links().len(), 5000);
}

#[test]
fn a_mesh_at_many_scales_is_read_once_and_ends_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = strip(1000) + &"# nothing\n".repeat(200_000);
    let file = folder.path().join("robot.urdf");
    std::fs::write(folder.path().join("strip.off"), &mesh).unwrap();
    let text = many_links(300, |_| "strip.off".into(), |i| format!("1 1 {}", i + 2));
    std::fs::write(&file, &text).unwrap();
    // All of them: 300 copies of a file of two megabytes, most of which is a comment.
    let size = text.len() + mesh.len();
    bounded("scales", size, 40, || load_urdf(&file, &UrdfOptions::default())).unwrap();
    for hulls in [HullLinks::None, HullLinks::All] {
        let options = UrdfOptions { max_mesh_elements: 20_000, hulls, ..UrdfOptions::default() };
        let flat = matches!(options.hulls, HullLinks::All);
        let error = bounded("limit", size, 10, || load_urdf(&file, &options)).unwrap_err();
        // A flat strip has no hull, which is found at the first link.
        let expected = if flat { ErrorKind::BadMesh } else { ErrorKind::TooLarge };
        assert_eq!(error.kind(), expected, "{error}");
    }
}

#[test]
fn chains_of_mimic_joints_are_followed_once() {
    let count = 60_000;
    let mut text = "<robot name='r'><link name='a'/>".to_owned();
    for i in 0..count {
        let mimic = if i == 0 { String::new() } else { format!("<mimic joint='j{}' multiplier='-1'/>", i - 1) };
        let _ = write!(
            text,
            "<link name='l{i}'/><joint name='j{i}' type='continuous'><parent link='a'/><child link='l{i}'/>{mimic}</joint>"
        );
    }
    text.push_str("</robot>");
    let robot = bounded("mimic", text.len(), 60, || read_urdf(&text, &UrdfOptions::default())).unwrap();
    assert_eq!(robot.variables().len(), 1);
    assert_eq!(robot.mimic_rule(count - 1), Some((0, -1.0, 0.0)));
    assert_eq!(robot.mimic_rule(count - 2), Some((0, 1.0, 0.0)));
}

#[test]
fn xml_that_a_parser_takes_long_for_is_refused() {
    let attributes = |prefix: &str| {
        let mut text = String::new();
        (0..60_000).for_each(|i| write!(text, " {prefix}a{i}='u'").unwrap());
        text
    };
    for (what, text) in [
        ("attributes", format!("<robot name='r'><link name='a'{}/></robot>", attributes(""))),
        ("namespaces", format!("<robot name='r'{}><link name='a'/></robot>", attributes("xmlns:"))),
    ] {
        let urdf = bounded(what, text.len(), 20, || read_urdf(&text, &UrdfOptions::default())).unwrap_err();
        let srdf = bounded(what, text.len(), 20, || Srdf::read(&text)).unwrap_err();
        assert_eq!((urdf.kind(), srdf.kind()), (ErrorKind::TooLarge, ErrorKind::TooLarge));
        assert!(urdf.to_string().starts_with("line 1: "), "{urdf}");
    }
    let (open, close) = ("<a>".repeat(200_000), "</a>".repeat(200_000));
    let deep = format!("<robot name='r'><link name='a'>{open}{close}</link></robot>");
    bounded("deep", deep.len(), 120, || read_urdf(&deep, &UrdfOptions::default())).unwrap();
    let laughs = "<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>";
    assert_eq!(read_urdf(laughs, &UrdfOptions::default()).unwrap_err().kind(), ErrorKind::Malformed);
}

#[test]
fn a_long_chain_of_links_is_no_recursion() {
    let count = 50_000;
    let mut text = "<robot name='r'><link name='l0'/>".to_owned();
    for i in 1..count {
        let _ = write!(
            text,
            "<link name='l{i}'/><joint name='j{i}' type='continuous'><parent link='l{}'/><child link='l{i}'/></joint>",
            i - 1
        );
    }
    text.push_str("</robot>");
    let robot = bounded("chain", text.len(), 60, || read_urdf(&text, &UrdfOptions::default())).unwrap();
    assert_eq!(robot.subtree(0), 0..count);
}

/// A star of links with joints that turn within [0, 1].
fn star(links: usize) -> Robot {
    let mut builder = RobotBuilder::new("r").link("l0", []);
    for i in 1..links {
        builder = builder.link(format!("l{i}"), []);
        builder = builder.joint(JointSpec::revolute(format!("j{i}"), "l0", format!("l{i}"), DVec3::Z, [0.0, 1.0]));
    }
    builder.build().unwrap()
}

#[test]
fn groups_and_rules_of_an_srdf_are_compared_once() {
    let mut text = "<robot name='r'>".to_owned();
    (0..100_000).for_each(|i| write!(text, "<group name='g{i}'/>").unwrap());
    text.push_str("</robot>");
    let srdf = bounded("groups", text.len(), 60, || Srdf::read(&text)).unwrap();
    assert_eq!(srdf.group("g99999").unwrap().name, "g99999");
    let twice = text.replace("g77'", "g78'");
    let error = bounded("groups", twice.len(), 60, || Srdf::read(&twice)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Repeated);

    // 20,000 times the same rule, each about 2,000 pairs, and each undone for one of them.
    let rule = "<disable_default_collisions link='l1'/><enable_collisions link1='l1' link2='l2'/>";
    let text = format!("<robot name='r'>{}</robot>", rule.repeat(20_000));
    let srdf = Srdf::read(&text).unwrap();
    let robot = star(2000);
    let disabled = bounded("rules", text.len(), 20, || srdf.disabled_pairs(&robot));
    assert_eq!(disabled.pairs().len(), 1998);
    assert!(!disabled.contains("l1", "l2"));
}

#[test]
fn the_last_rule_about_a_pair_counts() {
    let robot = star(6);
    let read = |rules: &[&str]| {
        let mut text = "<robot name='r'>".to_owned();
        for rule in rules {
            let words: Vec<&str> = rule.split(' ').collect();
            let _ = match words[..] {
                ["all", a] => write!(text, "<disable_default_collisions link='{a}'/>"),
                ["on", a, b] => write!(text, "<enable_collisions link1='{a}' link2='{b}'/>"),
                ["off", a, b] => write!(text, "<disable_collisions link1='{a}' link2='{b}'/>"),
                _ => panic!("{rule}"),
            };
        }
        let disabled = Srdf::read(&(text + "</robot>")).unwrap().disabled_pairs(&robot);
        let numbers = |pair: [&str; 2]| pair.map(|name| robot.link_index(name).unwrap());
        let mut pairs: Vec<[usize; 2]> = disabled.pairs().map(numbers).collect();
        pairs.sort_unstable();
        pairs
    };
    // One after the other, as the file has them.
    let plain = |rules: &[&str]| {
        let link = |name: &str| name[1..].parse::<usize>().unwrap();
        let mut pairs = std::collections::BTreeSet::new();
        for rule in rules {
            let words: Vec<&str> = rule.split(' ').collect();
            let pair = |a: usize, b: usize| [a.min(b), a.max(b)];
            match words[..] {
                ["all", a] => pairs.extend((0..6).filter(|&b| b != link(a)).map(|b| pair(link(a), b))),
                ["on", a, b] => drop(pairs.remove(&pair(link(a), link(b)))),
                ["off", a, b] if a != b => drop(pairs.insert(pair(link(a), link(b)))),
                _ => {}
            }
        }
        pairs.into_iter().collect::<Vec<_>>()
    };
    let rules = ["all l1", "on l1 l2", "off l1 l2", "all l2", "on l2 l3", "off l3 l3", "on l1 l4", "off l4 l5"];
    for seed in 0..4096_usize {
        let order: Vec<&str> = (0..4).map(|k| rules[seed >> (3 * k) & 7]).collect();
        assert_eq!(read(&order), plain(&order), "{order:?}");
    }
}

#[test]
fn columns_of_configurations_are_found_once_and_noted_once() {
    let robot = star(30_000);
    let names: Vec<String> = robot.variables().iter().map(|variable| variable.name.clone()).collect();
    let text = format!("{}\n{}\n", names.join(","), vec!["5"; names.len()].join(","));
    let read = bounded("columns", text.len(), 200, || Configurations::read(&text, &robot)).unwrap();
    assert_eq!((read.len(), read.notes().len()), (1, 29_999));
    let robot = star(1000);
    let names: Vec<String> = robot.variables().iter().map(|variable| variable.name.clone()).collect();
    let text = format!("{}\n{}", names.join(","), format!("{}\n", vec!["5"; names.len()].join(",")).repeat(200));
    let read = bounded("rows", text.len(), 60, || Configurations::read(&text, &robot)).unwrap();
    assert_eq!((read.len(), read.notes().len()), (200, 999));
}

#[test]
fn a_file_that_many_objects_of_a_scene_name_is_read_once_for_each_scale() {
    let folder = std::env::temp_dir().join(format!("clearance-scene-limits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut off = "OFF\n3000 1000 0\n".to_owned();
    (0..3000).for_each(|i| writeln!(off, "{i} {} 0", i % 3).unwrap());
    (0..1000).for_each(|i| writeln!(off, "3 {} {} {}", 3 * i, 3 * i + 1, 3 * i + 2).unwrap());
    std::fs::write(folder.join("m.off"), off).unwrap();
    let scene = |scale: &dyn Fn(usize) -> String| {
        let object = |i: usize| format!(r#"{{"name":"o{i}","mesh":"{}m.off"{}}}"#, "./".repeat(i % 7), scale(i));
        format!(r#"{{"objects":[{}]}}"#, (0..3000).map(object).collect::<Vec<_>>().join(","))
    };
    let text = scene(&|_| String::new());
    let one = bounded("scene", text.len(), 60, || Scene::read(&text, &folder)).unwrap();
    assert_eq!(one.names().count(), 3000);
    let options = SceneOptions { max_elements: 9000 };
    assert!(Scene::read_with(&scene(&|i| format!(r#","scale":{}"#, 1 + i % 9)), &folder, &options).is_ok());
    let error = Scene::read_with(&scene(&|i| format!(r#","scale":{}"#, 1 + i)), &folder, &options).err().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("object 9 'o9'") && error.to_string().contains("9000"), "{error}");
}
