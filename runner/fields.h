/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the members of a JSON object.  All return 0, or -EINVAL after naming
 * the file and the key that is missing or of the wrong type; other members are
 * nobody's business.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
	const char *file;
	char path[64]; /* how errors name the object: "cells[3]." */
	const json_t *object;
};

/* The values live as long as the object. */
int field_string(const struct node *node, const char *key, const char **value);
int field_count(const struct node *node, const char *key, uint64_t *value);
int field_bool(const struct node *node, const char *key, bool *value);

/* One of a closed list of words, which NULL ends; gives its index. */
int field_word(const struct node *node, const char *key,
	       const char *const *words, unsigned int *value);

int field_node(const struct node *parent, const char *key, struct node *child);
int field_array(const struct node *node, const char *key, const json_t **array);

/* An object in the array that `key` names. */
int field_element(const struct node *parent, const char *key,
		  const json_t *array, size_t index, struct node *child);
