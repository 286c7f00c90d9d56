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
#include "runner/guest_image.h"
#include "runner/guest_init.h"
#include "runner/log.h"

#define PORT	  "/dev/ttyS1"
#define MAX_WORDS 256

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
static FILE *open_port(void)
{
	auto_fd int fd = open(PORT, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios raw;
	FILE *port;

	if (fd < 0 || tcgetattr(fd, &raw)) {
		log_err(-errno,
			"guest: " PORT
			": %s (the kernel needs SERIAL_8250 with two ports)",
			strerror(errno));
		return NULL;
	}
	cfmakeraw(&raw);
	raw.c_cflag |= CLOCAL;
	cfsetspeed(&raw, B115200);
	tcsetattr(fd, TCSANOW, &raw);
	port = fdopen(fd, "w");
	if (port)
		fd = -1;
	return port;
}

void guest_init_flush(FILE *port)
{
	fflush(port);
	tcdrain(fileno(port));
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

static int work(guest_job *job, FILE *port)
{
	static char *argv[MAX_WORDS];
	int argc, err;

	err = load_modules();
	if (err)
		return err;
	argc = read_plan(argv);
	if (argc < 0)
		return argc;
	fprintf(port, GUEST_SAYS_STAGE "job\n");
	guest_init_flush(port);
	return job(argc, argv, port);
}

/*
 * The reason for a failure goes to the console and, as the host should not
 * have to look for it there, over the port.
 */
int guest_init(guest_job *job)
{
	struct log_capture capture;
	FILE *port;
	int err;

	signal(SIGPIPE, SIG_IGN);
	err = mount_all();
	port = open_port();
	if (!port)
		power_off();
	if (!err) {
		log_capture_begin(&capture);
		err = work(job, port);
		log_capture_end(&capture);
		if (err && capture.text[0]) {
			fprintf(port, GUEST_SAYS_LOG "%s\n", capture.text);
			log_err(err, "%s", capture.text);
		}
	}
	fprintf(port, GUEST_SAYS_END "%d\n", err);
	guest_init_flush(port);
	power_off();
}
