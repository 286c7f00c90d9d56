// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "runner/cleanup.h"
#include "runner/guest_qemu.h"
#include "runner/guest_watch.h"
#include "runner/log.h"
#include "runner/process.h"

#define QEMU	 "qemu-system-x86_64"
#define MAX_ARGV 64

/*
 * Without nokaslr, norandmaps and a fixed clock and seed two boots differ;
 * mitigations are off as their cost depends on the CPU's model.  The library
 * path is for init: the archive has all libraries in one place.
 */
static const char command_line[] =
	"console=ttyS0 earlyprintk=ttyS0,115200 8250.nr_uarts=4 "
	"rdinit=/" GUEST_INIT " LD_LIBRARY_PATH=/lib panic=-1 quiet "
	"cryptomgr.notests nokaslr norandmaps mitigations=off tsc=reliable";

struct args {
	const char *argv[MAX_ARGV];
	size_t count;
};

static void add(struct args *args, const char *const *words)
{
	while (*words && args->count < MAX_ARGV - 1)
		args->argv[args->count++] = *words++;
}

#define ADD(args, ...) add(args, (const char *const[]){ __VA_ARGS__, NULL })

static void add_clock(struct args *args, enum guest_clock clock)
{
	if (clock == GUEST_TIME) {
		ADD(args, "-machine", "q35,accel=kvm", "-cpu", "host");
		return;
	}
	ADD(args, "-machine", "pc,hpet=off", "-cpu", "Nehalem", "-accel",
	    "tcg,thread=single", "-icount", "shift=0,sleep=off,align=off",
	    "-seed", "1", "-rtc", "base=2024-01-01T00:00:00,clock=vm");
}

static const char *program(void)
{
	const char *other = getenv("HOOKCOST_QEMU");

	return other && other[0] ? other : QEMU;
}

static int no_qemu(void)
{
	return log_err(
		-EOPNOTSUPP,
		"there is no %s here: install the package qemu-system-x86 (Debian, Ubuntu), qemu-system-x86-core (Fedora) or qemu-system-x86 (Arch)",
		program());
}

/* The descriptors come by number: no file has a name that could be left. */
static int start(struct guest *guest, int image)
{
	const struct guest_setup *setup = guest->setup;
	const int keep[] = { image, guest->console, guest->port,
			     setup->plugin_fds[0], setup->plugin_fds[1] };
	char memory[16], initrd[32], console[48], port[48];
	struct args args = { 0 };
	struct process qemu = {
		.argv = args.argv,
		.in = -1,
		.out = -1,
		.err = guest->console,
		.keep = keep,
		.keep_count = setup->plugin ? 5 : 3,
	};

	snprintf(memory, sizeof(memory), "%u", setup->memory_mb);
	snprintf(initrd, sizeof(initrd), "/dev/fd/%d", image);
	snprintf(console, sizeof(console),
		 "file,id=console,append=on,path=/dev/fd/%d", guest->console);
	snprintf(port, sizeof(port), "file,id=port,append=on,path=/dev/fd/%d",
		 guest->port);
	ADD(&args, program(), "-nodefaults", "-no-user-config", "-no-reboot",
	    "-display", "none", "-net", "none", "-smp", "1", "-m", memory,
	    "-chardev", console, "-serial", "chardev:console", "-chardev", port,
	    "-serial", "chardev:port", "-kernel", setup->kernel->image,
	    "-initrd", initrd, "-append", command_line);
	add_clock(&args, setup->clock);
	if (setup->plugin)
		ADD(&args, "-plugin", setup->plugin);
	guest->pid = process_start(&qemu);
	if (guest->pid == -ENOENT)
		return no_qemu();
	if (guest->pid < 0)
		return log_err(guest->pid, "%s: %s", program(),
			       strerror(-guest->pid));
	return 0;
}

int guest_boot(struct guest *guest, const struct guest_setup *setup,
	       const char *const *words, int log)
{
	auto_fd int image = guest_image_with_plan(setup->image, words);
	int err;

	*guest = (struct guest){ .setup = setup, .log = log };
	guest->console = memfd_create("guest-console", MFD_CLOEXEC);
	guest->port = memfd_create("guest-port", MFD_CLOEXEC);
	if (image < 0)
		err = image;
	else if (guest->console < 0 || guest->port < 0)
		err = log_err(-errno, "memfd: %s", strerror(errno));
	else
		err = start(guest, image);
	if (err)
		guest_end(guest);
	else
		guest_watch_begin(guest);
	return err;
}

void guest_end(struct guest *guest)
{
	process_kill(hand_over(guest->pid, 0));
	if (guest->console > 0)
		close(hand_over(guest->console, -1));
	if (guest->port > 0)
		close(hand_over(guest->port, -1));
	free(hand_over(guest->line, NULL));
	guest->line_bytes = guest->line_room = 0;
}

int guest_poll(struct guest *guest, guest_line *line, void *context)
{
	int raw, gone = waitpid(guest->pid, &raw, WNOHANG), err;

	/* in this order: what it wrote before it went is all read */
	err = guest_watch_read(guest, line, context);
	if (err)
		return err;
	if (!gone)
		return guest_watch_patience(guest);
	guest->pid = 0;
	return guest_watch_verdict(guest, raw);
}

int guest_qemu_version(char *version, size_t size)
{
	const char *const argv[] = { program(), "--version", NULL };
	auto_fd int fd = memfd_create("qemu-version", MFD_CLOEXEC);
	struct process qemu = { .argv = argv, .in = -1, .err = -1 };
	char text[256] = "", word[32];
	int status, err;

	if (fd < 0)
		return log_err(-errno, "memfd: %s", strerror(errno));
	qemu.out = fd;
	err = process_run(&qemu, &status);
	if (err == -ENOENT)
		return no_qemu();
	if (err == -EINTR)
		return err;
	if (err || status || pread(fd, text, sizeof(text) - 1, 0) < 0 ||
	    sscanf(text, "QEMU emulator version %31[0-9.]", word) != 1)
		return log_err(-EOPNOTSUPP, "%s --version does not work",
			       program());
	snprintf(version, size, "%s", word);
	return 0;
}

bool guest_qemu_has_plugins(void)
{
	/* refused where it stands, but not loaded before -version ends it */
	const char *const argv[] = { program(), "-plugin", "/dev/null",
				     "-version", NULL };
	struct process qemu = { .argv = argv, .in = -1, .out = -1, .err = -1 };
	int status;

	return !process_run(&qemu, &status) && !status;
}
