// Bundle adjustment with Ceres Solver: cameras and points from where the cameras saw the points,
// some of which are wrong. The residuals are a formula; Kroton derives both Jacobians while the
// program compiles. A synthetic problem, solved with Ceres' automatic derivatives, with Kroton's,
// and with those of many observations at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include <ceres/ceres.h>
#include <ceres/rotation.h>
#include <kroton/ceres.hpp>

#include <boost/hana/define_struct.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <random>
#include <vector>

namespace kt = kroton;

using vec2 = kt::fixed<double, 2>;
using vec3 = kt::fixed<double, 3>;

// cut: residuals
struct camera : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(camera, (vec3, rotation), (vec3, translation), (kt::dscalar, focal),
                           (kt::dscalar, k1), (kt::dscalar, k2));
};

// Where a camera sees a point: an angle-axis rotation, a translation, and radial distortion.
constexpr auto reprojection = [](camera c, vec3 point, vec2 seen) {
  auto theta = norm(c.rotation);
  auto axis = c.rotation / theta;
  auto cross =
      kt::stack<0>(axis(1) * point(2) - axis(2) * point(1), axis(2) * point(0) - axis(0) * point(2),
                   axis(0) * point(1) - axis(1) * point(0));
  auto p = point * cos(theta) + cross * sin(theta) + axis * dot(axis, point) * (1 - cos(theta)) +
           c.translation;
  auto flat = -p(kt::slice(0, 2)) / p(2);
  auto r2 = sum(sqr(flat));
  return c.focal * (1 + r2 * (c.k1 + c.k2 * r2)) * flat - seen;
};
// end cut

namespace {

// The same for Ceres' automatic derivatives.
struct reprojection_of_jets {
  double x, y;

  template <class T>
  bool operator()(T const* camera, T const* point, T* residuals) const {
    T p[3];
    ceres::AngleAxisRotatePoint(camera, point, p);
    p[0] += camera[3], p[1] += camera[4], p[2] += camera[5];
    T const u = -p[0] / p[2], v = -p[1] / p[2];
    T const r2 = u * u + v * v, scale = camera[6] * (1.0 + r2 * (camera[7] + camera[8] * r2));
    residuals[0] = scale * u - x;
    residuals[1] = scale * v - y;
    return true;
  }
};

constexpr std::size_t cameras = 50, points = 10'000, cameras_of_a_point = 8;

struct scene {
  std::vector<double> camera, point;  // 9 and 3 numbers each
  std::vector<std::size_t> by, of;    // of each observation: its camera, its point
  xt::xtensor<double, 2> seen;        // and where
};

// Cameras on a circle look at a cloud of points in its middle.
scene made_scene(std::mt19937& random) {
  std::normal_distribution<double> normal;
  scene s;
  for (std::size_t c = 0; c < cameras; ++c) {
    double const angle = 2 * std::numbers::pi * static_cast<double>(c) / cameras;
    double const turned[] = {0.02 * normal(random), angle + 0.02 * normal(random),
                             0.02 * normal(random)};
    s.camera.insert(s.camera.end(), turned, turned + 3);
    double const rest[] = {0.1 * normal(random),       0.1 * normal(random),
                           -10 + 0.1 * normal(random), 500 + 10 * normal(random),
                           0.01 * normal(random),      0.001 * normal(random)};
    s.camera.insert(s.camera.end(), rest, rest + 6);
  }
  for (std::size_t i = 0; i < 3 * points; ++i) s.point.push_back(normal(random));
  s.seen.resize({points * cameras_of_a_point, 2});
  for (std::size_t p = 0; p < points; ++p)
    for (std::size_t k = 0; k < cameras_of_a_point; ++k) {
      std::size_t const c = (random() % 5 + p + k * cameras / cameras_of_a_point) % cameras,
                        row = s.by.size();
      double at[2];
      reprojection_of_jets{0, 0}(&s.camera[9 * c], &s.point[3 * p], at);
      bool const is_wrong = random() % 100 == 0;
      for (std::size_t d = 0; d < 2; ++d)
        s.seen(row, d) = at[d] + (is_wrong ? 50 : 0.5) * normal(random);
      s.by.push_back(c);
      s.of.push_back(p);
    }
  return s;
}

enum class derivatives { of_ceres, of_kroton, of_many };

struct solved {
  ceres::Solver::Summary summary;
  std::vector<double> point;
};

// The start lies near the truth.
solved solve(scene s, derivatives by, std::mt19937 random) {
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < s.camera.size(); ++i)
    s.camera[i] += (i % 9 < 3 ? 0.005 : i % 9 < 6 ? 0.05 : i % 9 == 6 ? 5 : 0.0) * normal(random);
  for (double& x : s.point) x += 0.05 * normal(random);

  auto many =
      kt::ceres::batch<reprojection>(s.seen);  // its rows are the observations of residual blocks
  ceres::Problem::Options options;
  if (by == derivatives::of_many) options.evaluation_callback = &many;
  ceres::Problem problem(options);
  for (std::size_t i = 0; i < s.by.size(); ++i) {
    double* const camera = &s.camera[9 * s.by[i]];
    double* const point = &s.point[3 * s.of[i]];
    std::array const seen{s.seen(i, 0), s.seen(i, 1)};
    auto* const loss = new ceres::HuberLoss(1.5);
    if (by == derivatives::of_many) {
      // cut: batch
      many.add(problem, loss, camera, point);
      // end cut
    } else if (by == derivatives::of_kroton) {
      // cut: cost function
      problem.AddResidualBlock(kt::ceres::cost_function<reprojection>(seen), loss, camera, point);
      // end cut
    } else {
      problem.AddResidualBlock(new ceres::AutoDiffCostFunction<reprojection_of_jets, 2, 9, 3>(
                                   new reprojection_of_jets{seen[0], seen[1]}),
                               loss, camera, point);
    }
  }
  problem.SetParameterBlockConstant(&s.camera[0]);  // where the scene lies is free
  ceres::Solver::Options how;
  how.linear_solver_type = ceres::DENSE_SCHUR;
  how.max_num_iterations = 30;
  how.num_threads = 1;
  solved result;
  ceres::Solve(how, &problem, &result.summary);
  result.point = s.point;
  return result;
}

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

int main() {
  std::mt19937 random(20261126);
  scene const s = made_scene(random);
  std::printf("%zu cameras, %zu points, %zu observations, one in a hundred of them wrong\n\n",
              cameras, points, s.by.size());
  std::printf("%-24s%10s%14s%18s%18s%12s\n", "derivatives", "steps", "final cost", "residuals, s",
              "Jacobians, s", "all, s");
  std::vector<double> first;
  bool agree = true;
  for (auto [by, name] : {std::pair(derivatives::of_ceres, "Ceres, jets"),
                          std::pair(derivatives::of_kroton, "Kroton"),
                          std::pair(derivatives::of_many, "Kroton, many at once")}) {
    solved const r = solve(s, by, random);
    auto const& summary = r.summary;
    std::printf("%-24s%10zu%14.6g%18.3f%18.3f%12.3f\n", name, summary.iterations.size(),
                summary.final_cost, summary.residual_evaluation_time_in_seconds,
                summary.jacobian_evaluation_time_in_seconds, summary.total_time_in_seconds);
    if (first.empty()) first = r.point;
    agree = agree && summary.IsSolutionUsable() && distance(r.point, first) < 1e-3;
  }
  std::printf("\nroot mean square distance of a coordinate to the truth: %.3f\n",
              distance(first, s.point));
  return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}
