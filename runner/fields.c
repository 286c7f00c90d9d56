// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "runner/fields.h"
#include "runner/log.h"

/* `fits` says whether the value is what `type` calls it. */
static int check(const struct node *node, const char *key, const json_t *value,
		 bool fits, const char *type)
{
	if (!value)
		return log_err(-EINVAL, "%s: %s%s is missing", node->file,
			       node->path, key);
	if (!fits)
		return log_err(-EINVAL, "%s: %s%s is not %s", node->file,
			       node->path, key, type);
	return 0;
}

int field_string(const struct node *node, const char *key, const char **value)
{
	const json_t *item = json_object_get(node->object, key);

	*value = json_string_value(item);
	return check(node, key, item, *value, "a string");
}

int field_count(const struct node *node, const char *key, uint64_t *value)
{
	const json_t *item = json_object_get(node->object, key);

	*value = json_integer_value(item);
	return check(node, key, item,
		     json_is_integer(item) && json_integer_value(item) >= 0,
		     "a whole number");
}

int field_bool(const struct node *node, const char *key, bool *value)
{
	const json_t *item = json_object_get(node->object, key);

	*value = json_is_true(item);
	return check(node, key, item, json_is_boolean(item), "true or false");
}

int field_word(const struct node *node, const char *key,
	       const char *const *words, unsigned int *value)
{
	const char *text;
	int err = field_string(node, key, &text);

	if (err)
		return err;
	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(words[i], text)) {
			*value = i;
			return 0;
		}
	}
	return log_err(-EINVAL, "%s: %s%s: \"%s\" is unknown to this version",
		       node->file, node->path, key, text);
}

int field_node(const struct node *parent, const char *key, struct node *child)
{
	const json_t *item = json_object_get(parent->object, key);

	child->file = parent->file;
	child->object = item;
	snprintf(child->path, sizeof(child->path), "%s.", key);
	return check(parent, key, item, json_is_object(item), "an object");
}

int field_array(const struct node *node, const char *key, const json_t **array)
{
	*array = json_object_get(node->object, key);
	return check(node, key, *array, json_is_array(*array), "an array");
}

int field_element(const struct node *parent, const char *key,
		  const json_t *array, size_t index, struct node *child)
{
	child->file = parent->file;
	child->object = json_array_get(array, index);
	snprintf(child->path, sizeof(child->path), "%s[%zu].", key, index);
	if (json_is_object(child->object))
		return 0;
	return log_err(-EINVAL, "%s: %s[%zu] is not an object", parent->file,
		       key, index);
}
