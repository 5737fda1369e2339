#include "collision_env_clearance.hpp"

#include <algorithm>
#include <stdexcept>

namespace collision_detection {

using clearance::Checker;
using clearance::Geometry;
using clearance::NearPair;
using clearance::Pose;

namespace {

Geometry geometry_of(const shapes::Shape &shape) {
    switch (shape.type) {
    case shapes::SPHERE: return Geometry::sphere(static_cast<const shapes::Sphere &>(shape).radius);
    case shapes::BOX: {
        const auto &size = static_cast<const shapes::Box &>(shape).size;
        return Geometry::box(size[0], size[1], size[2]);
    }
    case shapes::CYLINDER: {
        const auto &c = static_cast<const shapes::Cylinder &>(shape);
        return Geometry::cylinder(c.radius, c.length);
    }
    case shapes::CONE: {
        const auto &c = static_cast<const shapes::Cone &>(shape);
        return Geometry::cone(c.radius, c.length);
    }
    case shapes::PLANE: {
        const auto &p = static_cast<const shapes::Plane &>(shape);
        return Geometry::plane({p.a, p.b, p.c}, -p.d);
    }
    case shapes::MESH: {
        const auto &m = static_cast<const shapes::Mesh &>(shape);
        return Geometry::mesh({m.vertices, std::size_t(m.vertex_count) * 3},
                              {m.triangles, std::size_t(m.triangle_count) * 3});
    }
    default: throw std::invalid_argument("clearance: a world object has a shape that the adapter does not know");
    }
}

Geometry compound(const std::vector<shapes::ShapeConstPtr> &shapes, const EigenSTL::vector_Isometry3d &poses) {
    std::vector<std::pair<Geometry, Pose>> parts;
    for (std::size_t i = 0; i < shapes.size(); i++) parts.emplace_back(geometry_of(*shapes[i]), Pose(poses[i]));
    return Geometry::compound(parts);
}

bool allowed(const AllowedCollisionMatrix *acm, const std::string &a, const std::string &b) {
    AllowedCollision::Type type;
    return acm && acm->getAllowedCollision(a, b, type) && type == AllowedCollision::ALWAYS;
}

Eigen::Vector3d vector(const clearance::Vector3 &v) { return {v[0], v[1], v[2]}; }

} // namespace

// A checker for one question, with the links where the state has them and with what it carries.
class CollisionEnvClearance::Lease {
public:
    Lease(const CollisionEnvClearance &env, const State &state) : env_(env), checker_(take(env)) {
        state.getAttachedBodies(bodies_);
        for (const moveit::core::AttachedBody *body : bodies_) {
            std::vector<std::string> touch(body->getTouchLinks().begin(), body->getTouchLinks().end());
            checker_.attach(body->getName(), compound(body->getShapes(), body->getShapePosesInLinkFrame()),
                            body->getAttachedLinkName(), {}, touch);
        }
        std::vector<Pose> poses;
        for (const std::string &link : env.links_) poses.emplace_back(state.getGlobalLinkTransform(link));
        checker_.place_links(poses);
    }
    ~Lease() {
        // A checker that still carries something is dropped: the next question clones another one.
        if (!bodies_.empty() || changed_) return;
        std::lock_guard<std::mutex> lock(env_.mutex_);
        if (generation_ == env_.generation_) env_.idle_.push_back(std::move(checker_));
    }
    // Looks at the robot and the world alone, without what a matrix allows, from now on.
    void only_world(const AllowedCollisionMatrix *acm) {
        changed_ = true;
        std::vector<std::string> own = env_.links_, objects = checker_.scene().names();
        for (const moveit::core::AttachedBody *body : bodies_) own.push_back(body->getName());
        clearance::Options options = checker_.options();
        for (std::size_t i = 0; i < own.size(); i++) {
            for (std::size_t j = 0; j < i; j++) options.allow(own[i], own[j]);
            for (const std::string &object : objects)
                if (allowed(acm, own[i], object)) options.allow(own[i], object);
        }
        checker_.set_options(options);
    }
    Checker &operator*() { return checker_; }
    Checker *operator->() { return &checker_; }
    BodyType type(const std::string &name, bool second_of_scene) const {
        if (second_of_scene) return BodyTypes::WORLD_OBJECT;
        auto is = [&](const moveit::core::AttachedBody *body) { return body->getName() == name; };
        return std::any_of(bodies_.begin(), bodies_.end(), is) ? BodyTypes::ROBOT_ATTACHED : BodyTypes::ROBOT_LINK;
    }

private:
    Checker take(const CollisionEnvClearance &env) {
        std::lock_guard<std::mutex> lock(env.mutex_);
        generation_ = env.generation_;
        if (env.idle_.empty()) return env.checker_->clone();
        Checker checker = std::move(env.idle_.back());
        env.idle_.pop_back();
        return checker;
    }
    const CollisionEnvClearance &env_;
    // Before the checker: `take` sets it.
    std::uint64_t generation_ = 0;
    bool changed_ = false;
    Checker checker_;
    std::vector<const moveit::core::AttachedBody *> bodies_;
};

CollisionEnvClearance::CollisionEnvClearance(const moveit::core::RobotModelConstPtr &model, const WorldPtr &world,
                                             clearance::Robot robot, double padding, double scale)
    : CollisionEnv(model, world, padding, scale), robot_(std::move(robot)), links_(robot_.link_names()),
      variables_(robot_.joint_names()) {
    rebuild();
    observe(world);
}

CollisionEnvClearance::~CollisionEnvClearance() {
    if (observed_) observed_->removeObserver(observer_);
}

void CollisionEnvClearance::observe(const WorldPtr &world) {
    if (observed_) observed_->removeObserver(observer_);
    observed_ = world;
    if (!world) return;
    observer_ = world->addObserver([this](const World::ObjectConstPtr &object, World::Action action) {
        changed(object, action);
    });
}

void CollisionEnvClearance::setWorld(const WorldPtr &world) {
    CollisionEnv::setWorld(world);
    {
        std::lock_guard<std::mutex> lock(mutex_);
        auto empty = std::make_unique<Checker>(checker_->clone());
        empty->set_scene(clearance::Scene());
        checker_ = std::move(empty);
        idle_.clear();
        generation_++;
    }
    observe(getWorld());
}

// The world's objects as they come, go and move. Their shapes are placed in the world.
void CollisionEnvClearance::changed(const World::ObjectConstPtr &object, World::Action action) {
    std::lock_guard<std::mutex> lock(mutex_);
    // Another object in its place: answers that are on their way keep the old one.
    auto next = std::make_unique<Checker>(checker_->clone());
    if (static_cast<World::ActionBits>(action) & World::DESTROY)
        next->remove(object->id_);
    else
        next->replace(object->id_, compound(object->shapes_, object->global_shape_poses_));
    checker_ = std::move(next);
    idle_.clear();
    generation_++;
}

// The hierarchies anew, for other sizes of links.
void CollisionEnvClearance::rebuild() {
    std::vector<std::pair<std::string, double>> scales;
    for (const auto &[link, scale] : getLinkScale())
        if (scale != 1 && std::find(links_.begin(), links_.end(), link) != links_.end()) scales.emplace_back(link, scale);
    clearance::Options options;
    for (const auto &[link, padding] : getLinkPadding())
        if (std::find(links_.begin(), links_.end(), link) != links_.end()) options.padding(link, padding);
    auto next = scales.empty() ? std::make_unique<Checker>(robot_, options)
                               : std::make_unique<Checker>(robot_.scaled(scales), options);
    std::lock_guard<std::mutex> lock(mutex_);
    if (checker_) next->set_scene(checker_->scene());
    checker_ = std::move(next);
    idle_.clear();
    generation_++;
}

void CollisionEnvClearance::updatedPaddingOrScaling(const std::vector<std::string> &) { rebuild(); }

void CollisionEnvClearance::check(const CollisionRequest &request, CollisionResult &result, const State &state,
                                  const AllowedCollisionMatrix *acm, unsigned which) const {
    Lease checker(*this, state);
    const std::set<const moveit::core::LinkModel *> *group = nullptr;
    if (!request.group_name.empty() && robot_model_->hasJointModelGroup(request.group_name))
        group = &robot_model_->getJointModelGroup(request.group_name)->getUpdatedLinkModelsSet();
    auto in_group = [&](const std::string &name) {
        return !group || std::any_of(group->begin(), group->end(), [&](auto link) { return link->getName() == name; });
    };
    auto counts = [&](const std::string &a, const std::string &b, clearance_against against) {
        bool active = in_group(a) || (against == CLEARANCE_AGAINST_ITSELF && in_group(b));
        return active && !allowed(acm, a, b);
    };
    if (!request.contacts && !request.distance) {
        for (const clearance::Hit &hit : checker->collisions({}, which))
            result.collision = result.collision || counts(hit.a, hit.b, hit.against);
        return;
    }
    if (request.distance) {
        DistanceRequest nearest;
        DistanceResult found;
        nearest.acm = acm;
        nearest.active_components_only = group;
        measure(nearest, found, state, which);
        result.distance = std::min(result.distance, found.minimum_distance.distance);
        result.collision = result.collision || found.collision;
    }
    for (const NearPair &pair : checker->near({}, 0, which)) {
        if (pair.upper > 0 || !counts(pair.a, pair.b, pair.against)) continue;
        result.collision = true;
        if (!request.contacts || result.contact_count >= request.max_contacts) break;
        // The deepest points of a pair are its one contact.
        Contact contact;
        bool world = pair.against == CLEARANCE_AGAINST_SCENE;
        contact.nearest_points[0] = vector(pair.point_a);
        contact.nearest_points[1] = vector(pair.point_b);
        contact.pos = 0.5 * (contact.nearest_points[0] + contact.nearest_points[1]);
        contact.normal = vector(pair.normal);
        contact.depth = -pair.signed_distance;
        contact.body_name_1 = pair.a;
        contact.body_type_1 = checker.type(pair.a, false);
        contact.body_name_2 = pair.b;
        contact.body_type_2 = checker.type(pair.b, world);
        contact.percent_interpolation = 0;
        auto key = pair.a < pair.b ? std::make_pair(pair.a, pair.b) : std::make_pair(pair.b, pair.a);
        result.contacts[key].push_back(contact);
        result.contact_count++;
        if (request.is_done && request.is_done(result)) break;
    }
}

void CollisionEnvClearance::measure(const DistanceRequest &request, DistanceResult &result, const State &state,
                                    unsigned which) const {
    Lease checker(*this, state);
    auto active = [&](const std::string &name) {
        const auto *links = request.active_components_only;
        return !links || std::any_of(links->begin(), links->end(), [&](auto link) { return link->getName() == name; });
    };
    // Without a threshold the nearest pair says how far the others need to be looked for.
    double limit = request.distance_threshold;
    bool global = request.type == DistanceRequestType::GLOBAL && !request.acm && !request.active_components_only;
    if (global || limit == std::numeric_limits<double>::max()) {
        auto nearest = checker->distance({}, which);
        if (!nearest) return;
        limit = global ? std::min(limit, nearest->upper * (1 + 1e-9) + 1e-9) : 1e3;
    }
    for (const NearPair &pair : checker->near({}, limit, which)) {
        bool world = pair.against == CLEARANCE_AGAINST_SCENE;
        if (allowed(request.acm, pair.a, pair.b) || !(active(pair.a) || (!world && active(pair.b)))) continue;
        DistanceResultsData data;
        data.distance = pair.signed_distance < 0 && !request.enable_signed_distance ? -1 : pair.signed_distance;
        data.nearest_points[0] = vector(pair.point_a);
        data.nearest_points[1] = vector(pair.point_b);
        data.normal = vector(pair.normal);
        data.link_names[0] = pair.a;
        data.link_names[1] = pair.b;
        data.body_types[0] = checker.type(pair.a, false);
        data.body_types[1] = checker.type(pair.b, world);
        result.collision = result.collision || pair.upper <= 0;
        if (data.distance < result.minimum_distance.distance) result.minimum_distance = data;
        if (request.type != DistanceRequestType::GLOBAL) {
            auto key = pair.a < pair.b ? std::make_pair(pair.a, pair.b) : std::make_pair(pair.b, pair.a);
            result.distances[key].push_back(data);
        }
    }
}

// The straight motion between the joint values of two states, proven. What the matrix allows is not looked at.
void CollisionEnvClearance::edge(CollisionResult &result, const State &from, const State &to,
                                 const AllowedCollisionMatrix *acm) const {
    Lease checker(*this, from);
    std::vector<double> q, p;
    for (const std::string &variable : variables_) {
        q.push_back(from.getVariablePosition(variable));
        p.push_back(to.getVariablePosition(variable));
    }
    checker.only_world(acm);
    // What is not proven free counts as colliding.
    result.collision = result.collision || !checker->edge(q, p).is_free();
}

void CollisionEnvClearance::checkSelfCollision(const CollisionRequest &req, CollisionResult &res, const State &state) const {
    check(req, res, state, nullptr, CLEARANCE_SELF);
}
void CollisionEnvClearance::checkSelfCollision(const CollisionRequest &req, CollisionResult &res, const State &state,
                                               const AllowedCollisionMatrix &acm) const {
    check(req, res, state, &acm, CLEARANCE_SELF);
}
void CollisionEnvClearance::checkRobotCollision(const CollisionRequest &req, CollisionResult &res, const State &state) const {
    check(req, res, state, nullptr, CLEARANCE_SCENE);
}
void CollisionEnvClearance::checkRobotCollision(const CollisionRequest &req, CollisionResult &res, const State &state,
                                                const AllowedCollisionMatrix &acm) const {
    check(req, res, state, &acm, CLEARANCE_SCENE);
}
void CollisionEnvClearance::checkRobotCollision(const CollisionRequest &, CollisionResult &res, const State &from,
                                                const State &to, const AllowedCollisionMatrix &acm) const {
    edge(res, from, to, &acm);
}
void CollisionEnvClearance::checkRobotCollision(const CollisionRequest &, CollisionResult &res, const State &from,
                                                const State &to) const {
    edge(res, from, to, nullptr);
}
void CollisionEnvClearance::distanceSelf(const DistanceRequest &req, DistanceResult &res, const State &state) const {
    measure(req, res, state, CLEARANCE_SELF);
}
void CollisionEnvClearance::distanceRobot(const DistanceRequest &req, DistanceResult &res, const State &state) const {
    measure(req, res, state, CLEARANCE_SCENE);
}

} // namespace collision_detection
