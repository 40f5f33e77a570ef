
# Those that begin with $cur. The shell cuts a line into words at `:`, `=` and `@`, too, and wants what comes behind.
_viv_reply() {
    local cut=${cur%"${cur##*[:=@]}"} reply
    while IFS= read -r reply; do
        [[ $reply == "$cur"* ]] && reply=${reply#"$cut"}
        COMPREPLY+=("$reply")
    done < <(compgen "$@" -- "$cur")
}

_viv_files() {
    local IFS=$'\n'
    COMPREPLY=($(compgen "$1" -- "${cur#*=}"))
    compopt -o filenames 2>/dev/null
}

# By kind of word: KIND [WORDS].
_viv_of_kind() {
    case $1 in
    file) _viv_files -f ;;
    folder) _viv_files -d ;;
    words) cur=${cur##*=} _viv_reply -W "${*:2}" ;;
    target) _viv_reply -W "$("$viv" nodes 2>/dev/null | cut -d ' ' -f 1)" ;;
    process) cur=${cur##*=} _viv_names pid ;;
    name) _viv_names "${plain[1]}" ;;
    pattern)
        [[ $cur == *:* ]] && return
        _viv_reply -W "$("$viv" completion names "${plain[0]}" module "$cur" 2>/dev/null | sed 's/$/:/')"
        compopt -o nospace 2>/dev/null
        ;;
    esac
}

_viv_names() { _viv_reply -W "$("$viv" completion names "${plain[0]}" "$1" "$cur" 2>/dev/null)"; }

# The words so far are read from the line, where they are whole: plain ones, and the option before the last.
_viv() {
    local viv=${1/#\~/$HOME} line=${COMP_LINE:0:COMP_POINT} cur= words i plain=() kind= before=
    COMPREPLY=()
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] || { cur=${words[-1]}; unset 'words[-1]'; }
    if ((${#words[@]} == 1)); then
        _viv_reply -W "$_viv_commands"
        return
    fi
    for ((i = 2; i < ${#words[@]}; i++)); do
        if [[ $before == option ]]; then
            before=
        elif [[ ${words[i]} != [-+]* ]]; then
            plain+=("${words[i]}")
        elif [[ ${words[i]} != *=* && -n $(_viv_value "${words[1]}" "${words[i]}") ]]; then
            before=option
        fi
    done
    if [[ $before == option ]]; then
        kind=$(_viv_value "${words[1]}" "${words[-1]}")
    elif [[ $cur == --*=* ]]; then
        kind=$(_viv_value "${words[1]}" "${cur%%=*}")
    elif [[ $cur == [-+]* ]]; then
        kind="words $(_viv_options "${words[1]}")"
    else
        kind=$(_viv_word "${words[1]}" "$((${#plain[@]} + 1))")
    fi
    _viv_of_kind $kind
}
complete -F _viv viv
