/*
 * How many processors there are, and how many of them the control group of this program lets it use.
 *
 * A quota is a share of the time of each period: here in whole processors, rounded down, at least 1 and at most those
 * that are online (so many also when the group has no limit). It is found once, when it is first asked for, of the
 * program's own group only (of version 2 on OTP 25: of the one that is mounted). Sources: cgroups(7),
 * proc_pid_mountinfo(5), the kernel's cgroup-v1 and cgroup-v2 documents; what OTP 25 and 27 answer.
 */
#ifndef VIV_SYS_CPU_QUOTA_H
#define VIV_SYS_CPU_QUOTA_H

unsigned cpu_count_configured(void);
unsigned cpu_count_online(void);
unsigned cpu_quota(void); /* 0: there is no group that says it */

#endif
