// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dynamic loader has already found all that this program needs; so it is
 * asked, instead of doing its search again.
 */
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runner/guest_image.h"

struct libs {
	char **list; /* pointers, then the text that they point to */
	size_t count, text_bytes;
	char *text; /* NULL: counting */
	char *interpreter;
};

static void note_interpreter(struct libs *libs, struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *path = (const char *)(uintptr_t)(info->dlpi_addr +
							     segment->p_vaddr);

		if (segment->p_type == PT_INTERP && strlen(path) < PATH_MAX)
			strcpy(libs->interpreter, path);
	}
}

static int note(struct dl_phdr_info *info, size_t size, void *data)
{
	struct libs *libs = data;
	size_t bytes = strlen(info->dlpi_name) + 1;

	(void)size;
	if (bytes == 1) /* the program itself comes first, without a name */
		note_interpreter(libs, info);
	if (info->dlpi_name[0] != '/') /* linux-vdso.so.1 is no file */
		return 0;
	if (libs->text) {
		libs->list[libs->count] =
			memcpy(libs->text, info->dlpi_name, bytes);
		libs->text += bytes;
	}
	libs->count++;
	libs->text_bytes += bytes;
	return 0;
}

char **guest_libs_list(char *interpreter)
{
	struct libs libs = { .interpreter = interpreter };
	size_t pointers;

	interpreter[0] = '\0';
	dl_iterate_phdr(note, &libs);
	pointers = (libs.count + 1) * sizeof(*libs.list);
	libs.list = malloc(pointers + libs.text_bytes);
	if (!libs.list)
		return NULL;
	libs.text = (char *)libs.list + pointers;
	libs.count = 0;
	dl_iterate_phdr(note, &libs);
	libs.list[libs.count] = NULL;
	return libs.list;
}
