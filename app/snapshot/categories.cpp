// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/categories.h"

#include "snapshot/annotation_ranges.h"
#include "snapshot/frame_text.h"
#include "snapshot/steps.h"
#include "snapshot/wrapping.h"

#include <algorithm>
#include <optional>
#include <string>

namespace plimsoll {
namespace {

constexpr AllocationId kStopEvery = 1U << 16U; // allocations between two looks at the stop token

using Traits = std::uint16_t; // of a stack, of a moment
constexpr Traits kOptimizer = 1;
constexpr Traits kStateMaker = 2; // makes the optimizer's state
constexpr Traits kBackward = 4;
constexpr Traits kAccumulateGrad = 8;
constexpr Traits kZeroGrad = 16;
constexpr Traits kForward = 32;
constexpr Traits kWeights = 64;
constexpr Traits kCollective = 128;
constexpr Traits kWorkspace = 256;
constexpr Traits kInput = 512;

struct Mark
{
    std::string_view file; // parts, in lower case; both must be there
    std::string_view name;
    Traits traits;
};

constexpr std::array kMarks{
    Mark{"torch/optim/", "", kOptimizer},
    Mark{"apex/optimizers", "", kOptimizer},
    Mark{"deepspeed/ops/adam", "", kOptimizer},
    Mark{"bitsandbytes/optim", "", kOptimizer},
    Mark{"", "_init_group", kOptimizer | kStateMaker},
    Mark{"optim", "init_state", kOptimizer | kStateMaker},
    Mark{"", "zero_grad", kZeroGrad},
    Mark{"", "autograd::engine", kBackward},
    Mark{"", "backward0", kBackward},
    Mark{"", "compiledfunctionbackward", kBackward},
    Mark{"torch/autograd/__init__.py", "", kBackward},
    Mark{"torch/autograd/graph.py", "", kBackward},
    Mark{"torch/_tensor.py", "backward", kBackward},
    Mark{"", "accumulategrad", kBackward | kAccumulateGrad},
    Mark{"torch/nn/modules/module.py", "_call_impl", kForward},
    Mark{".py", "forward", kForward},
    Mark{"torch/nn/modules/module.py", "_apply", kWeights},
    Mark{"torch/nn/modules/module.py", "load_state_dict", kWeights},
    Mark{"torch/nn/modules/", "__init__", kWeights},
    Mark{"torch/nn/modules/", "reset_parameters", kWeights},
    Mark{"torch/nn/init.py", "", kWeights},
    Mark{"", "from_pretrained", kWeights},
    Mark{"torch/serialization.py", "", kWeights},
    Mark{"safetensors", "", kWeights},
    Mark{"", "processgroupnccl", kCollective},
    Mark{"", "c10d::", kCollective},
    Mark{"distributed_c10d.py", "", kCollective},
    Mark{"_functional_collectives", "", kCollective},
    Mark{"", "nccl", kCollective},
    Mark{"", "workspace", kWorkspace},
    Mark{"torch/utils/data", "", kInput},
    Mark{"", "pin_memory", kInput},
};

Traits traitsOf(const MemorySnapshot &snapshot, const StackFrame &frame)
{
    auto file = lowerCase(snapshot.texts[frame.file]);
    std::replace(file.begin(), file.end(), '\\', '/');
    const auto name = lowerCase(snapshot.texts[frame.name]);
    unsigned traits = 0;
    for (const auto &mark : kMarks)
        if (file.find(mark.file) != std::string::npos && name.find(mark.name) != std::string::npos)
            traits |= mark.traits;
    return static_cast<Traits>(traits);
}

std::vector<Traits> traitsOfStacks(const MemorySnapshot &snapshot, const std::stop_token &stop)
{
    const auto &stacks = snapshot.stacks;
    std::vector<Traits> ofFrame(stacks.frameCount());
    for (FrameId id = 0; id < ofFrame.size() && (id % 1024 != 0 || !stop.stop_requested()); ++id)
        ofFrame[id] = traitsOf(snapshot, stacks.frame(id));
    std::vector<Traits> ofStack(stacks.stackCount());
    for (StackId id = 0; id < ofStack.size() && (id % 4096 != 0 || !stop.stop_requested()); ++id) {
        const auto stack = stacks.stack(id);
        for (std::size_t i = 0; i < stack.size(); ++i)
            ofStack[id] = static_cast<Traits>(ofStack[id] | ofFrame[stack[i]]);
    }
    return ofStack;
}

std::optional<MemoryCategory> named(std::string_view text)
{
    const auto lower = lowerCase(text);
    if (lower == "parameter")
        return MemoryCategory::Weights;
    if (lower == "gradient")
        return MemoryCategory::Gradients;
    if (lower == "optimizer_state")
        return MemoryCategory::OptimizerState;
    if (lower == "activation" || lower == "autograd_detail")
        return MemoryCategory::Activations;
    if (lower == "temporary")
        return MemoryCategory::Temporaries;
    if (lower == "input")
        return MemoryCategory::Inputs;
    return std::nullopt;
}

/// The ranges in which a profiler said what was going on.
std::vector<Traits> traitsByRange(const Replay &replay)
{
    constexpr std::array<Traits, 3> kTraits{kOptimizer, kBackward, kForward};
    std::array<EventInstant, 3> covered{};
    std::vector<Traits> traits;
    const TimeAxis axis(replay);
    for (const auto &range : annotationRanges(replay, axis)) {
        const auto name = lowerCase(replay.snapshot().texts[range.name]);
        const auto which = name.find("optimizer.step") != std::string::npos ? 0U
            : name.find("backward") != std::string::npos                   ? 1U
            : name.find("forward") != std::string::npos                    ? 2U
                                                                           : 3U;
        if (which == 3)
            continue;
        traits.resize(std::size_t{replay.end()} + 1);
        // By begin: what earlier ranges covered is not gone over again.
        const auto end = std::min(range.end, replay.end());
        for (auto i = std::max(range.begin, covered[which]) + 1; i <= end; ++i)
            traits[i] = static_cast<Traits>(traits[i] | kTraits[which]);
        covered[which] = std::max(covered[which], end);
    }
    return traits;
}

} // namespace

std::string_view toString(MemoryCategory category) noexcept
{
    switch (category) {
    case MemoryCategory::Unknown: return "unknown";
    case MemoryCategory::Weights: return "weights";
    case MemoryCategory::Gradients: return "gradients";
    case MemoryCategory::OptimizerState: return "optimizer state";
    case MemoryCategory::Activations: return "activations";
    case MemoryCategory::Temporaries: return "temporaries";
    case MemoryCategory::Collectives: return "collectives";
    case MemoryCategory::Workspaces: return "workspaces";
    case MemoryCategory::Inputs: return "inputs";
    }
    return "unknown";
}

Categories::Categories(const Replay &replay, std::stop_token stop) : m_replay(&replay), m_of(replay.size(), MemoryCategory::Unknown)
{
    const auto &snapshot = replay.snapshot();
    const auto ofStack = traitsOfStacks(snapshot, stop);
    const auto ofInstant = traitsByRange(replay);
    const auto births = replay.births();
    const auto deaths = replay.deaths();
    const auto stacks = replay.stacks();

    // A category that the file names, by context.
    std::vector<std::optional<MemoryCategory>> said(snapshot.contexts.size());
    bool isSaid = false;
    const auto key = snapshot.texts.find("category");
    if (key != TextTable::kAbsent) {
        for (std::size_t c = 0; c < said.size(); ++c)
            for (const auto &[name, value] : snapshot.contexts[c].attributes)
                if (name == key && (said[c] = named(snapshot.texts[value])))
                    isSaid = true;
    }
    if (isSaid)
        m_isSaid.resize(replay.size());

    const auto traitsAt = [&](EventInstant instant) { return instant < ofInstant.size() ? ofInstant[instant] : Traits{0}; };
    // Where the backward pass allocates: what lives across such a moment was kept for it.
    std::vector<EventInstant> backward;
    for (auto id = replay.beforeCount(); id < replay.size(); ++id)
        if (((ofStack[stacks[id]] | traitsAt(births[id])) & kBackward) != 0)
            backward.push_back(births[id]);
    const auto steps = findSteps(replay, stop);
    // Longer than a step, or than half of a trace whose steps are not known.
    const auto longLife = steps.count() >= 2 ? (steps.starts.back() - steps.starts.front()) / (steps.count() - 1) : replay.end() / 2;

    for (AllocationId id = 0; id < replay.size(); ++id) {
        if (id % kStopEvery == 0 && stop.stop_requested())
            return;
        if (isSaid && replay.origin(id) == AllocationOrigin::Traced) {
            if (const auto &category = said[snapshot.events.context[replay.rowOf(births[id])]]) {
                m_of[id] = *category;
                m_isSaid[id] = true;
                continue;
            }
        }
        if (replay.origin(id) == AllocationOrigin::BeforeFreed) {
            // Its stack tells who let go, not who made it: an optimizer replaces its state, zero_grad drops gradients.
            const auto freed = static_cast<unsigned>(ofStack[stacks[id]] | traitsAt(deaths[id]));
            if ((freed & kZeroGrad) != 0)
                m_of[id] = MemoryCategory::Gradients;
            else if ((freed & kOptimizer) != 0)
                m_of[id] = MemoryCategory::OptimizerState;
            continue;
        }
        const auto traits = static_cast<unsigned>(ofStack[stacks[id]] | traitsAt(births[id]));
        const bool isLong = deaths[id] == replay.never() || deaths[id] - births[id] > longLife;
        const auto deathTraits = deaths[id] == replay.never()
            ? 0U
            : static_cast<unsigned>(ofStack[snapshot.events.stack[replay.rowOf(deaths[id])]]);
        auto &category = m_of[id];
        if ((traits & kWorkspace) != 0) {
            category = MemoryCategory::Workspaces;
        } else if ((traits & kCollective) != 0) {
            category = MemoryCategory::Collectives;
        } else if ((traits & kStateMaker) != 0 || ((traits & kOptimizer) != 0 && isLong)) {
            category = MemoryCategory::OptimizerState;
        } else if ((traits & kOptimizer) != 0) {
            category = MemoryCategory::Temporaries;
        } else if ((traits & kBackward) != 0) {
            const bool isGradient = (traits & kAccumulateGrad) != 0 || (deathTraits & kZeroGrad) != 0 || isLong;
            category = isGradient ? MemoryCategory::Gradients : MemoryCategory::Temporaries;
        } else if ((traits & kInput) != 0) {
            category = MemoryCategory::Inputs;
        } else if ((traits & kForward) != 0) {
            const auto next = std::upper_bound(backward.begin(), backward.end(), births[id]);
            // Without a backward pass so far, what is still there waits for one.
            const bool isKeptForBackward = (deathTraits & kBackward) != 0 || deaths[id] == replay.never()
                || (next != backward.end() && *next < deaths[id]);
            category = isKeptForBackward ? MemoryCategory::Activations : MemoryCategory::Temporaries;
        } else if ((traits & kWeights) != 0) {
            category = isLong ? MemoryCategory::Weights : MemoryCategory::Temporaries;
        }
    }
}

std::array<std::int64_t, kMemoryCategories> Categories::aliveAt(EventInstant instant) const
{
    std::array<std::int64_t, kMemoryCategories> bytes{};
    const auto sizes = m_replay->sizes();
    m_replay->forEachAlive(instant, [&](AllocationId id) {
        auto &sum = bytes[static_cast<std::size_t>(m_of[id])];
        sum = wrappingAdd(sum, static_cast<std::int64_t>(sizes[id]));
    });
    return bytes;
}

} // namespace plimsoll
