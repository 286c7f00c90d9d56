// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "nft/hashset.h"
#include "nft/ipset_msg.h"
#include "runner/rules_sorted.h"
#include "runner/log.h"

/*
 * Prefixes in one message, 24 bytes each with IPv4, 36 with IPv6.  When the
 * kernel refuses one, it sends the whole message back, which nl_request() takes
 * up to 32 KiB.
 */
#define PREFIXES_PER_MESSAGE  1300
#define PREFIXES6_PER_MESSAGE 880
#define MESSAGE_BYTES	      32768
#define SMALL_BYTES	      256

/* With its share of the table and of a block of elements. */
#define ELEMENT_MAX_BYTES 128

#define MIN_HASHSIZE 1024
#define MAX_HASHSIZE (1u << 31)
#define MIN_MAXELEM  65536

static int save_revision(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr;
	int *revision = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) == IPSET_ATTR_REVISION)
			*revision = mnl_attr_get_u8(attr);
	}
	return MNL_CB_OK;
}

/* The newest revision of the type that the kernel has. */
static int find_revision(struct hashset *set, const char *who)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	struct nlmsghdr *nlh = ipset_begin(buf, IPSET_CMD_TYPE, 0, set, false);
	int revision = 0;
	int err;

	mnl_attr_put_strz(nlh, IPSET_ATTR_TYPENAME, IPSET_MSG_TYPE);
	mnl_attr_put_u8(nlh, IPSET_ATTR_FAMILY, set->family);
	err = nl_request(set->nl, nlh, save_revision, &revision);
	return err ? ipset_explain(who, "asking for the type", err) : revision;
}

/* A bucket a prefix, so that the table never has to grow. */
static uint32_t hashsize(size_t count)
{
	uint32_t size = MIN_HASHSIZE;

	while (size < count && size < MAX_HASHSIZE)
		size *= 2;
	return size;
}

/*
 * Twice what is needed: the kernel divides the limit among regions of the
 * table, and an addition to a region above its share counts all of them.
 */
static uint32_t maxelem(size_t count)
{
	if (count > UINT32_MAX / 2)
		return UINT32_MAX;
	return 2 * count > MIN_MAXELEM ? 2 * count : MIN_MAXELEM;
}

static int create(struct hashset *set, const char *who, size_t count)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	int revision = find_revision(set, who);
	struct nlmsghdr *nlh;
	struct nlattr *data;
	int err;

	if (revision < 0)
		return revision;
	nlh = ipset_begin(buf, IPSET_CMD_CREATE, NLM_F_CREATE | NLM_F_EXCL, set,
			  true);
	mnl_attr_put_strz(nlh, IPSET_ATTR_TYPENAME, IPSET_MSG_TYPE);
	mnl_attr_put_u8(nlh, IPSET_ATTR_REVISION, revision);
	mnl_attr_put_u8(nlh, IPSET_ATTR_FAMILY, set->family);
	data = mnl_attr_nest_start(nlh, IPSET_ATTR_DATA);
	ipset_put_number(nlh, IPSET_ATTR_HASHSIZE, hashsize(count));
	ipset_put_number(nlh, IPSET_ATTR_MAXELEM, maxelem(count));
	mnl_attr_nest_end(nlh, data);
	err = nl_request(set->nl, nlh, NULL, NULL);
	if (err)
		return ipset_explain(who, "making the set", err);
	set->made = true;
	return 0;
}

/* Without NLM_F_EXCL a prefix that is there already is no error. */
static int add(struct hashset *set, const struct prefix *prefixes, size_t count)
{
	_Alignas(struct nlmsghdr) char buf[MESSAGE_BYTES];
	struct nlmsghdr *nlh = ipset_begin(buf, IPSET_CMD_ADD, 0, set, true);
	struct nlattr *list;

	/* A line number is required wherever there is a list. */
	ipset_put_number(nlh, IPSET_ATTR_LINENO, 1);
	list = mnl_attr_nest_start(nlh, IPSET_ATTR_ADT);
	for (size_t i = 0; i < count; i++)
		ipset_put_prefix(set, nlh, &prefixes[i]);
	mnl_attr_nest_end(nlh, list);
	return nl_request(set->nl, nlh, NULL, NULL);
}

static int fill(struct hashset *set, const char *who, const struct rules *rules)
{
	const size_t most = set->family == NFPROTO_IPV6 ? PREFIXES6_PER_MESSAGE
							: PREFIXES_PER_MESSAGE;
	size_t count;
	int err;

	for (size_t i = 0; i < rules->count; i += count) {
		count = rules->count - i;
		if (count > most)
			count = most;
		err = add(set, &rules->prefixes[i], count);
		if (err)
			return ipset_explain(who, "adding prefixes", err);
	}
	return 0;
}

struct header {
	bool counted;
	uint32_t elements, bytes;
};

static int save_header(const struct nlmsghdr *nlh, void *arg)
{
	struct header *header = arg;
	const struct nlattr *attr, *inner;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) != IPSET_ATTR_DATA)
			continue;
		mnl_attr_for_each_nested(inner, attr) {
			if (mnl_attr_get_type(inner) == IPSET_ATTR_ELEMENTS) {
				header->elements =
					ntohl(mnl_attr_get_u32(inner));
				header->counted = true;
			}
			if (mnl_attr_get_type(inner) == IPSET_ATTR_MEMSIZE)
				header->bytes = ntohl(mnl_attr_get_u32(inner));
		}
	}
	return MNL_CB_OK;
}

static int read_header(const struct hashset *set, const char *who,
		       struct header *header)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	struct nlmsghdr *nlh =
		ipset_begin(buf, IPSET_CMD_LIST, NLM_F_DUMP, set, true);
	int err;

	*header = (struct header){ 0 };
	ipset_put_number(nlh, IPSET_ATTR_FLAGS, IPSET_FLAG_LIST_HEADER);
	err = nl_request(set->nl, nlh, save_header, header);
	return err ? ipset_explain(who, "reading the set back", err) : 0;
}

/* Kernels before 4.10 do not count; the additions were acknowledged. */
static int verify(struct hashset *set, const char *who,
		  const struct rules *rules)
{
	struct header header;
	int err = read_header(set, who, &header);

	if (err)
		return err;
	if (header.counted && header.elements != rules->count &&
	    header.elements != rules_distinct(rules))
		return log_err(-EIO,
			       "%s: the set holds %u prefixes instead of %zu",
			       who, header.elements, rules->count);
	log_debug("%s: set %s: %u prefixes, %u bytes", who, set->name,
		  header.elements, header.bytes);
	return 0;
}

int hashset_make(struct hashset *set, const char *who,
		 const struct rules *rules)
{
	static unsigned int made;
	int err;

	*set = (struct hashset){
		.nl = nl_open(NETLINK_NETFILTER),
		.family = rules->family == FAMILY_IPV6 ? NFPROTO_IPV6
						       : NFPROTO_IPV4,
	};
	if (!set->nl)
		return log_err(errno == EPROTONOSUPPORT ? -EOPNOTSUPP : -errno,
			       "%s: netlink: %s (CONFIG_NETFILTER_NETLINK?)",
			       who, strerror(errno));
	snprintf(set->name, sizeof(set->name), "hookcost-%d-%u", getpid(),
		 made++);
	err = create(set, who, rules->count);
	if (!err)
		err = fill(set, who, rules);
	if (!err)
		err = verify(set, who, rules);
	if (err)
		hashset_destroy(set);
	return err;
}

int hashset_add(struct hashset *set, const char *who,
		const struct prefix *prefix)
{
	int err = add(set, prefix, 1);

	return err ? ipset_explain(who, "adding a prefix", err) : 0;
}

int hashset_memory(const struct hashset *set, const char *who, uint64_t *bytes)
{
	struct header header;
	int err = read_header(set, who, &header);

	if (err)
		return err;
	/* As many as this may have carried past the 32 bits. */
	if (header.elements > UINT32_MAX / ELEMENT_MAX_BYTES)
		return -EOVERFLOW;
	*bytes = header.bytes;
	return 0;
}

int hashset_index(const struct hashset *set, const char *who,
		  ip_set_id_t *index)
{
	auto_fd int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
	struct ip_set_req_get_set ask = {
		.op = IP_SET_OP_GET_BYNAME,
		.version = IPSET_MSG_PROTOCOL,
	};
	socklen_t len = sizeof(ask);

	memcpy(ask.set.name, set->name, sizeof(ask.set.name));
	if (fd < 0 || getsockopt(fd, IPPROTO_IP, SO_IP_SET, &ask, &len))
		return log_err(-errno, "%s: finding the set %s: %s", who,
			       set->name, strerror(errno));
	if (ask.set.index == IPSET_INVALID_ID)
		return log_err(-ENOENT, "%s: the set %s has gone", who,
			       set->name);
	*index = ask.set.index;
	return 0;
}

void hashset_destroy(struct hashset *set)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	int err = 0;

	if (!set->nl)
		return;
	if (set->made)
		err = nl_request(
			set->nl,
			ipset_begin(buf, IPSET_CMD_DESTROY, 0, set, true), NULL,
			NULL);
	if (err)
		log_debug("ipset: removing the set %s: error %d", set->name,
			  -err);
	mnl_socket_close(set->nl);
	*set = (struct hashset){ 0 };
}
