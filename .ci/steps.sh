# shellcheck shell=bash
# Headings and timings of the steps of .ci/run and .ci/soak: wall time, and the processor time of all that the step ran.
# Sourced, never run.

step_title=

# The processor time that ended child processes took so far, in seconds.
step_cpu() {
    local file seconds
    file=$(mktemp)
    # Not in a subshell, which would have children of its own.
    times >"$file"
    # The second line is about children: user and system time as 1m2.345s.
    seconds=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] } printf "%d", sum }' "$file")
    rm -f "$file"
    step_cpu_now=$seconds
}

# Ends the step before this one and begins the next.
step() {
    step_end
    step_cpu
    step_title=$1 step_began=$SECONDS step_cpu_began=$step_cpu_now
    printf '\n=== %s\n' "$step_title"
}

step_end() {
    if [[ -n $step_title ]]; then
        step_cpu
        printf -- '--- %s: %d s, processor time %d s\n' "$step_title" $((SECONDS - step_began)) $((step_cpu_now - step_cpu_began))
    fi
    step_title=
}
