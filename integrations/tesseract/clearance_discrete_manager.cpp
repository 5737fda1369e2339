#include "clearance_discrete_manager.hpp"

#include <algorithm>

namespace tesseract_collision {

using clearance::Geometry;
using clearance::Pair;
using clearance::Pose;

namespace {

Geometry geometry_of(const tesseract_geometry::Geometry &shape) {
    using namespace tesseract_geometry;
    switch (shape.getType()) {
    case GeometryType::SPHERE: return Geometry::sphere(static_cast<const Sphere &>(shape).getRadius());
    case GeometryType::BOX: {
        const auto &box = static_cast<const Box &>(shape);
        return Geometry::box(box.getX(), box.getY(), box.getZ());
    }
    case GeometryType::CYLINDER: {
        const auto &c = static_cast<const Cylinder &>(shape);
        return Geometry::cylinder(c.getRadius(), c.getLength());
    }
    case GeometryType::CAPSULE: {
        const auto &c = static_cast<const Capsule &>(shape);
        return Geometry::capsule(c.getRadius(), c.getLength());
    }
    case GeometryType::CONE: {
        const auto &c = static_cast<const Cone &>(shape);
        return Geometry::cone(c.getRadius(), c.getLength());
    }
    case GeometryType::MESH:
    case GeometryType::CONVEX_MESH: {
        const auto &mesh = static_cast<const PolygonMesh &>(shape);
        std::vector<double> vertices;
        for (const Eigen::Vector3d &v : *mesh.getVertices()) vertices.insert(vertices.end(), {v.x(), v.y(), v.z()});
        if (shape.getType() == GeometryType::CONVEX_MESH) return Geometry::convex_hull(vertices);
        std::vector<std::uint32_t> triangles;
        const Eigen::VectorXi &faces = *mesh.getFaces();
        for (Eigen::Index i = 0; i < faces.size(); i += faces[i] + 1)
            for (int k = 2; k < faces[i]; k++)
                for (int corner : {1, k, k + 1}) triangles.push_back(static_cast<std::uint32_t>(faces[i + corner]));
        return Geometry::mesh(vertices, triangles);
    }
    default: throw clearance::Error(CLEARANCE_STATUS_UNSUPPORTED);
    }
}

} // namespace

std::unique_ptr<DiscreteContactManager> ClearanceDiscreteManager::clone() const {
    auto copy = std::make_unique<ClearanceDiscreteManager>();
    copy->objects_ = objects_;
    copy->names_ = names_;
    copy->active_ = active_;
    copy->margins_ = margins_;
    copy->allowed_ = allowed_;
    return copy;
}

bool ClearanceDiscreteManager::addCollisionObject(const std::string &name, const int &mask_id,
                                                  const CollisionShapesConst &shapes, const Poses &shape_poses,
                                                  bool enabled) {
    if (shapes.empty() || shapes.size() != shape_poses.size()) return false;
    Object object{mask_id, shapes, shape_poses, {}, std::nullopt, enabled};
    try {
        std::vector<std::pair<Geometry, Pose>> parts;
        for (std::size_t i = 0; i < shapes.size(); i++) {
            bool solid = shapes[i]->getType() != tesseract_geometry::GeometryType::MESH;
            object.parts.push_back({geometry_of(*shapes[i]), shape_poses[i], solid});
            parts.emplace_back(object.parts.back().geometry, Pose(shape_poses[i]));
        }
        object.whole = Geometry::compound(parts);
    } catch (const clearance::Error &) {
        return false;
    }
    removeCollisionObject(name);
    objects_.emplace(name, std::move(object));
    names_.push_back(name);
    return true;
}

const CollisionShapesConst &ClearanceDiscreteManager::getCollisionObjectGeometries(const std::string &name) const {
    static const CollisionShapesConst none;
    auto found = objects_.find(name);
    return found == objects_.end() ? none : found->second.shapes;
}

const ClearanceDiscreteManager::Poses &
ClearanceDiscreteManager::getCollisionObjectGeometriesTransforms(const std::string &name) const {
    static const Poses none;
    auto found = objects_.find(name);
    return found == objects_.end() ? none : found->second.shape_poses;
}

bool ClearanceDiscreteManager::removeCollisionObject(const std::string &name) {
    if (!objects_.erase(name)) return false;
    names_.erase(std::find(names_.begin(), names_.end(), name));
    // Pairs are known by the addresses of parts, which others may have from now on.
    pairs_.clear();
    return true;
}

bool ClearanceDiscreteManager::set_enabled(const std::string &name, bool enabled) {
    auto found = objects_.find(name);
    if (found == objects_.end()) return false;
    found->second.enabled = enabled;
    return true;
}

bool ClearanceDiscreteManager::isCollisionObjectEnabled(const std::string &name) const {
    auto found = objects_.find(name);
    return found != objects_.end() && found->second.enabled;
}

void ClearanceDiscreteManager::setCollisionObjectsTransform(const std::string &name, const Eigen::Isometry3d &pose) {
    auto found = objects_.find(name);
    if (found != objects_.end()) found->second.pose = pose;
}

void ClearanceDiscreteManager::setCollisionObjectsTransform(const Names &names, const Poses &poses) {
    for (std::size_t i = 0; i < names.size() && i < poses.size(); i++) setCollisionObjectsTransform(names[i], poses[i]);
}

void ClearanceDiscreteManager::setCollisionObjectsTransform(const tesseract_common::TransformMap &transforms) {
    for (const auto &[name, pose] : transforms) setCollisionObjectsTransform(name, pose);
}

bool ClearanceDiscreteManager::is_active(const std::string &name) const {
    return active_.empty() || std::find(active_.begin(), active_.end(), name) != active_.end();
}

void ClearanceDiscreteManager::contactTest(ContactResultMap &collisions, const ContactRequest &request) {
    // The boxes of all objects, grown by the largest margin, say which pairs are looked at.
    clearance::World world(std::max(0.0, margins_.getMaxCollisionMargin()));
    std::map<clearance::World::Body, std::map<std::string, Object>::const_iterator> bodies;
    for (auto object = objects_.cbegin(); object != objects_.cend(); ++object)
        if (object->second.enabled) bodies.emplace(world.add(*object->second.whole, object->second.pose), object);
    world.step();
    long found = 0;
    for (const clearance_body_pair &pair : world.pairs()) {
        const auto &[name_a, a] = *bodies.at(pair.a);
        const auto &[name_b, b] = *bodies.at(pair.b);
        if (!is_active(name_a) && !is_active(name_b)) continue;
        if (allowed_ && (*allowed_)(name_a, name_b)) continue;
        if (!test(collisions, request, name_a, a, name_b, b, found)) return;
    }
}

bool ClearanceDiscreteManager::test(ContactResultMap &collisions, const ContactRequest &request,
                                    const std::string &name_a, const Object &a, const std::string &name_b,
                                    const Object &b, long &found) {
    double margin = margins_.getCollisionMargin(name_a, name_b);
    std::optional<ContactResult> closest;
    // Names in order, as Tesseract's maps have them.
    bool swapped = name_b < name_a;
    auto key = swapped ? std::make_pair(name_b, name_a) : std::make_pair(name_a, name_b);
    auto add = [&](const ContactResult &result) {
        if (request.is_valid && !request.is_valid(result)) return true;
        collisions.addContactResult(key, result);
        found++;
        bool enough = request.type == ContactTestType::LIMITED && found >= request.contact_limit;
        return request.type != ContactTestType::FIRST && !enough;
    };
    for (std::size_t i = 0; i < a.parts.size(); i++)
        for (std::size_t j = 0; j < b.parts.size(); j++) {
            const Part &part_a = a.parts[i], &part_b = b.parts[j];
            std::array<const void *, 2> parts{part_a.geometry.get(), part_b.geometry.get()};
            auto known = pairs_.find(parts);
            if (known == pairs_.end()) known = pairs_.emplace(parts, Pair(part_a.geometry, part_b.geometry)).first;
            Pair &pair = known->second;
            Eigen::Isometry3d world_from_a = a.pose * part_a.link_from_part, world_from_b = b.pose * part_b.link_from_part;
            Pose a_from_b(world_from_a.inverse() * world_from_b);
            // A margin below 0 asks for a depth, which `is_within` does not know.
            if (!pair.is_within(a_from_b, std::max(0.0, margin))) continue;
            ContactResult result;
            Eigen::Vector3d on_a, on_b, normal;
            if (part_a.solid && part_b.solid) {
                clearance::SignedDistance d = pair.signed_distance(a_from_b);
                result.distance = d.signed_distance;
                on_a = clearance::eigen(d.point_a);
                on_b = clearance::eigen(d.point_b);
                normal = clearance::eigen(d.normal);
            } else {
                clearance::Distance d = pair.distance(a_from_b);
                result.distance = d.upper;
                on_a = clearance::eigen(d.point_a);
                on_b = clearance::eigen(d.point_b);
                normal = on_b - on_a;
                // Surfaces that touch have the normal of their first contact.
                if (normal.norm() > 0)
                    normal.normalize();
                else if (auto contacts = pair.contacts(a_from_b, 0, 1); !contacts.empty())
                    normal = Eigen::Vector3d(contacts[0].normal.data());
                else
                    normal = Eigen::Vector3d::UnitZ();
            }
            if (result.distance > margin) continue;
            std::array<const Object *, 2> objects{&a, &b};
            std::array<Eigen::Vector3d, 2> points{world_from_a * on_a, world_from_a * on_b};
            std::array<int, 2> shapes{static_cast<int>(i), static_cast<int>(j)};
            for (int side = 0; side < 2; side++) {
                int of = swapped ? 1 - side : side;
                result.link_names[side] = of == 0 ? name_a : name_b;
                result.type_id[side] = objects[of]->mask_id;
                result.shape_id[side] = shapes[of];
                result.nearest_points[side] = points[of];
                result.nearest_points_local[side] = objects[of]->pose.inverse() * points[of];
                result.transform[side] = objects[of]->pose;
            }
            result.normal = (swapped ? -1.0 : 1.0) * (world_from_a.linear() * normal);
            if (request.type == ContactTestType::CLOSEST) {
                if (!closest || result.distance < closest->distance) closest = result;
            } else if (!add(result)) {
                return false;
            }
        }
    return !closest || add(*closest);
}

} // namespace tesseract_collision
