
# By kind of word: KIND [WORDS].
_viv_of_kind() {
    case $1 in
    file) _files ;;
    folder) _files -/ ;;
    words) compadd -- "${@:2}" ;;
    target) compadd -- ${(f)"$($viv nodes 2>/dev/null | cut -d ' ' -f 1)"} ;;
    process) _viv_names pid ;;
    name) _viv_names "$plain[2]" ;;
    pattern) [[ $cur == *:* ]] || compadd -S : -- ${(f)"$($viv completion names $plain[1] module "$cur" 2>/dev/null)"} ;;
    esac
}

_viv_names() { compadd -- ${(f)"$($viv completion names $plain[1] $1 "$cur" 2>/dev/null)"}; }

_viv() {
    local viv=${~words[1]} command=$words[2] cur=$words[CURRENT] kind= before= i
    local -a plain
    if ((CURRENT == 2)); then
        compadd -- ${=_viv_commands}
        return
    fi
    for ((i = 3; i < CURRENT; i++)); do
        if [[ $before == option ]]; then
            before=
        elif [[ $words[i] != [-+]* ]]; then
            plain+=("${(Q)words[i]}")
        elif [[ $words[i] != *=* && -n $(_viv_value $command $words[i]) ]]; then
            before=option
        fi
    done
    if [[ $before == option ]]; then
        kind=$(_viv_value $command $words[CURRENT-1])
    elif [[ $cur == --*=* ]]; then
        kind=$(_viv_value $command ${cur%%=*})
        compset -P '*='
        cur=${cur#*=}
    elif [[ $cur == [-+]* ]]; then
        kind="words $(_viv_options $command)"
    else
        kind=$(_viv_word $command $((${#plain} + 1)))
    fi
    _viv_of_kind ${=kind}
}
# Loaded by compinit, the file is the function's body the first time.
if [[ ${funcstack[1]-} == _viv ]]; then
    _viv "$@"
else
    compdef _viv viv
fi
