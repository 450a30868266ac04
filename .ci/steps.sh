# shellcheck shell=bash
# Headings and timings of the steps of .ci/run and .ci/soak. Sourced, never run.

step_began=$SECONDS
step_title=

# Ends the step before this one and begins the next.
step() {
    step_end
    step_title=$1 step_began=$SECONDS
    printf '\n=== %s\n' "$step_title"
}

step_end() {
    [[ -z $step_title ]] || printf -- '--- %s: %d s\n' "$step_title" $((SECONDS - step_began))
    step_title=
}
