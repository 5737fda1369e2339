use clearance::Pose;
use clearance::math::DVec3;
use clearance_scene::picture::*;
use std::collections::HashMap;
fn main() {
    let mut at: HashMap<String, DVec3> = HashMap::new();
    at.insert("world".into(), DVec3::ZERO);
    let mut total = 0;
    let mut pics = [
        (DVec3::new(2.2, -1.6, 1.5), DVec3::new(0., 0., 0.9)),
        (DVec3::new(1.0, 0.5, 1.7), DVec3::new(0., 0.1, 1.2)),
        (DVec3::new(0.9, 0.0, 0.9), DVec3::new(0., 0.3, 0.6)),
    ]
    .map(|(e, t)| Picture::new(700, 900, Camera::looking(e, t)));
    for row in clearance_scene::humanoid::rows() {
        let p = at[&row.parent] + row.place;
        at.insert(row.child.clone(), p);
        if let Some(s) = row.solid {
            println!("{} {}", row.child, s.triangle_count());
            total += s.triangle_count();
            let (m, c) = s.into_parts().unwrap();
            clearance::shape::check_closed(&m).unwrap();
            if m.degenerate_count() > 0 {
                println!("DEGENERATE {}", m.degenerate_count());
            }
            for pic in &mut pics {
                pic.draw_colored(&m, &Pose::from_translation(p).unwrap(), &c);
            }
        }
    }
    println!("total {total}");
    for (i, p) in pics.iter().enumerate() {
        p.save(format!("/tmp/robot{i}.png")).unwrap();
    }
}
