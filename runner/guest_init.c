// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <termios.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/guest_image.h"
#include "runner/guest_init.h"
#include "runner/log.h"

#define PORT	  "/dev/ttyS1"
#define MAX_WORDS 512

bool guest_init_wanted(void)
{
	return getpid() == 1 && !access("/" GUEST_PLAN, R_OK) &&
	       !access("/" GUEST_MODULE_LIST, R_OK);
}

/* Nobody is left to go on for: the machine stops. */
static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* without ACPI; QEMU ends at a reset as well */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static int mount_one(const char *type, const char *at)
{
	if (mount(type, at, type, MS_NOSUID | MS_NOEXEC, NULL) &&
	    errno != EBUSY)
		return log_err(-errno, "guest: mounting %s: %s", type,
			       strerror(errno));
	return 0;
}

static int mount_all(void)
{
	int err = mount_one("proc", "/proc");

	if (!err)
		err = mount_one("sysfs", "/sys");
	return err;
}

/* Bytes as they are: no echo, no line ends of a terminal's. */
static int open_port(void)
{
	auto_fd int fd = open(PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;

	if (fd < 0 || tcgetattr(fd, &raw))
		return log_err(
			-errno,
			"guest: " PORT
			": %s (the kernel needs SERIAL_8250 with two ports)",
			strerror(errno));
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	cfsetspeed(&raw, B115200);
	tcsetattr(fd, TCSANOW, &raw);
	return hand_over(fd, -1);
}

/* A line to the host, all of it gone before we go on. */
static void tell(int port, const char *word, const char *text)
{
	dprintf(port, "%s%s\n", word, text);
	tcdrain(port);
}

static int load(const char *name)
{
	char path[300];
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "/" GUEST_MODULE_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return log_err(-errno, "guest: module %s: %s", name,
			       strerror(errno));
	if (!syscall(SYS_finit_module, fd, "", 0))
		return 0;
	/* it is built in, or made for another CPU */
	if (errno == EEXIST || errno == ENODEV)
		return 0;
	return log_err(
		-errno,
		"guest: module %s cannot be loaded: %s; the console log has the kernel's reason",
		name, strerror(errno));
}

static int load_modules(void)
{
	auto_file FILE *list = fopen("/" GUEST_MODULE_LIST, "re");
	auto_mem char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && list && getline(&line, &size, list) > 0) {
		line[strcspn(line, "\n")] = '\0';
		err = load(line);
	}
	return err;
}

/* The words of the plan, in a block that is never freed. */
static int read_plan(char **argv)
{
	auto_file FILE *in = fopen("/" GUEST_PLAN, "re");
	char *block = calloc(1, GUEST_PLAN_BYTES + 1);
	int argc = 0;

	if (!in || !block || !fread(block, 1, GUEST_PLAN_BYTES, in))
		return log_err(-EIO, "guest: the plan cannot be read");
	for (char *at = block; *at && argc < MAX_WORDS - 1;
	     at += strlen(at) + 1)
		argv[argc++] = at;
	return argc;
}

static int work(guest_job *job, int port)
{
	static char *argv[MAX_WORDS];
	int argc, out;

	tell(port, GUEST_SAYS_STAGE, "modules");
	if (load_modules())
		return EXIT_FAILED;
	argc = read_plan(argv);
	out = fcntl(port, F_DUPFD_CLOEXEC, 0);
	if (argc < 0 || out < 0)
		return EXIT_FAILED;
	if (!strcmp(argv[0], GUEST_PROBE))
		return EXIT_DONE;
	tell(port, GUEST_SAYS_STAGE, "job");
	return job(argc, argv, out);
}

/*
 * The reason for a failure goes to the console and, as the host should not
 * have to look for it there, over the port.
 */
int guest_init(guest_job *job)
{
	struct log_capture capture;
	char text[16];
	int port, status;

	signal(SIGPIPE, SIG_IGN);
	log_capture_begin(&capture);
	status = mount_all() ? EXIT_FAILED : EXIT_DONE;
	port = open_port();
	if (!status && port >= 0)
		status = work(job, port);
	log_capture_end(&capture);
	if (capture.text[0])
		log_err(0, "%s", capture.text);
	if (port >= 0) {
		if (status && capture.text[0])
			tell(port, GUEST_SAYS_LOG, capture.text);
		snprintf(text, sizeof(text), "%d", status);
		tell(port, GUEST_SAYS_END, text);
	}
	power_off();
}
