/*
 * The break menu: what Ctrl-C asks for at the terminal of a node. Source: erl(1), "BREAK"; what OTP 25 shows.
 *
 * The node goes on meanwhile, all of it: the menu runs on a thread of its own, which reads keys, and what can be told
 * at once is told by it. What processes, tables and ports have to say is told by a process, viv_system:break_item/1,
 * that asks them as any other would; the thread waits until it is through. One who does not come to an end of that
 * presses Ctrl-C once more: that ends the node, as it does on the stock runtime.
 */
#ifndef VIV_BIF_SYSTEM_BREAK_MENU_H
#define VIV_BIF_SYSTEM_BREAK_MENU_H

/* From now on SIGINT calls the menu. Once; before that it does what it did when the program began. */
void break_menu_install(void);

#endif
