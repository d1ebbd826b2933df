import type { EventStream } from "@lango/chassis";

/** An item as streams need it. `place` is its position in the list. */
type Item = { id: string; place: string; createdAt: Date };
/** What a person's inbox has since a time: new items, the oldest first, and the counts. */
type News<I extends Item> = { items: readonly I[]; unread: number; unseen: number };

/** An open stream of a person's inbox. */
type Open = {
	stream: EventStream;
	tenantId: string;
	userId: string;
	/** Throws when the token has expired or was revoked. */
	requireToken: () => void;
	openedAt: number;
	pingedAt: number;
	/** Items from before this time were sent, or were there when the stream began. */
	since: Date;
	/** Items since then that were sent already. */
	sent: Set<string>;
	/** The id of the last event: a client that connects again continues after it. */
	lastId: string;
};

/** The last event that a client received, from its id. */
export type LastEvent = { at: Date; itemId: string };

/** The streams of inboxes of this process. */
export type InboxStreams = {
	/** Whether the person may open another stream; false if the person or the process has too many. */
	hasPlace(of: { tenantId: string; userId: string }): boolean;
	/**
	 * Adds a stream; returns the function that removes it. The counts are sent at once, and with `after` the
	 * items since that event. Those of the seconds before it may come twice, because items can be committed
	 * later than it.
	 */
	add(
		open: Pick<Open, "stream" | "tenantId" | "userId" | "requireToken"> & { after: LastEvent | undefined },
	): () => void;
	/** A person's inbox changed. */
	changed(tenantId: string, userId: string): void;
	/** Changes may have been missed: every inbox is read again. */
	missed(): void;
	stop(): void;
};

export type InboxStreamsOptions<I extends Item> = {
	/** Reads the news of people of a tenant, each since a time. */
	read: (tenantId: string, people: ReadonlyMap<string, Date>) => Promise<ReadonlyMap<string, News<I>>>;
	toWire: (item: I) => unknown;
	now: () => Date;
	/** How long a stream stays open. */
	lifeMs: number;
	/** How many streams are open at once. */
	openMax: number;
	onError: (error: unknown) => void;
};

const perPersonMax = 5;
const pingMs = 25_000;
const tickMs = 1_000;
/** Changes of this time are read together. */
const gatherMs = 20;
const peopleAtOnce = 500;
/** Items can be committed in another order than they were created in. */
const overlapMs = 30_000;

/**
 * Creates the streams. A change of an inbox is sent to its person within moments: the inboxes that changed
 * within 20 ms are read together. A stream ends with its token, and after `lifeMs`; clients connect again.
 */
export function createInboxStreams<I extends Item>({
	read,
	toWire,
	now,
	lifeMs,
	openMax,
	onError,
}: InboxStreamsOptions<I>): InboxStreams {
	const byPerson = new Map<string, Set<Open>>();
	let dirty = new Map<string, Set<string>>();
	let count = 0;
	let gathering: NodeJS.Timeout | undefined;
	const keyOf = (tenantId: string, userId: string) => `${tenantId} ${userId}`;
	const each = function* () {
		for (const streams of byPerson.values()) yield* streams;
	};
	const mark = (tenantId: string, userId: string) => {
		const people = dirty.get(tenantId) ?? new Set();
		dirty.set(tenantId, people.add(userId));
		gathering ??= setTimeout(() => {
			gathering = undefined;
			void flush();
		}, gatherMs);
	};
	const flush = async () => {
		const changed = dirty;
		dirty = new Map();
		for (const [tenantId, people] of changed)
			for (const some of chunks([...people], peopleAtOnce)) await deliver(tenantId, some).catch(onError);
	};
	const deliver = async (tenantId: string, userIds: readonly string[]) => {
		const open = userIds.filter((userId) => byPerson.has(keyOf(tenantId, userId)));
		if (open.length === 0) return;
		const sinces = open.map((userId) => {
			const streams = [...(byPerson.get(keyOf(tenantId, userId)) ?? [])];
			return [userId, new Date(Math.min(...streams.map(({ since }) => since.getTime())))] as const;
		});
		for (const [userId, news] of await read(tenantId, new Map(sinces)))
			for (const one of byPerson.get(keyOf(tenantId, userId)) ?? [])
				sendNews(one, { news, toWire, now: now() });
	};
	const tick = setInterval(() => {
		const at = now().getTime();
		for (const one of each()) {
			if (at - one.openedAt >= lifeMs || hasEnded(one)) one.stream.end();
			else if (at - one.pingedAt >= pingMs) {
				one.pingedAt = at;
				one.stream.ping();
			}
		}
	}, tickMs);
	tick.unref();
	return {
		hasPlace: ({ tenantId, userId }) =>
			count < openMax && (byPerson.get(keyOf(tenantId, userId))?.size ?? 0) < perPersonMax,
		add({ after, ...opened }) {
			const { tenantId, userId } = opened;
			const at = now().getTime();
			const one: Open = { ...opened, openedAt: at, pingedAt: at, ...placeAfter(after, now()) };
			const streams = byPerson.get(keyOf(tenantId, userId)) ?? new Set();
			byPerson.set(keyOf(tenantId, userId), streams.add(one));
			count += 1;
			mark(tenantId, userId);
			return () => {
				if (!streams.delete(one)) return;
				count -= 1;
				if (streams.size === 0) byPerson.delete(keyOf(tenantId, userId));
			};
		},
		changed(tenantId, userId) {
			if (byPerson.has(keyOf(tenantId, userId))) mark(tenantId, userId);
		},
		missed() {
			for (const { tenantId, userId } of each()) mark(tenantId, userId);
		},
		stop() {
			clearInterval(tick);
			clearTimeout(gathering);
		},
	};
}

const noItem = "00000000-0000-0000-0000-000000000000";

/** Where a stream begins: now, or at its client's last event. */
function placeAfter(after: LastEvent | undefined, now: Date): Pick<Open, "since" | "sent" | "lastId"> {
	const { at, itemId } = after ?? { at: now, itemId: noItem };
	const since = after === undefined ? now : new Date(at.getTime() - overlapMs);
	return { since, sent: new Set([itemId]), lastId: `${at.getTime() * 1_000}.${itemId}` };
}

function sendNews<I extends Item>(
	one: Open,
	{ news, toWire, now }: { news: News<I>; toWire: (item: I) => unknown; now: Date },
): void {
	const { items, unread, unseen } = news;
	for (const item of items) {
		if (item.createdAt <= one.since || one.sent.has(item.id)) continue;
		one.sent.add(item.id);
		one.lastId = `${item.place}.${item.id}`;
		one.stream.send({ event: "item", id: one.lastId, data: toWire(item) });
	}
	one.stream.send({ event: "count", id: one.lastId, data: { unread, unseen } });
	const until = new Date(now.getTime() - overlapMs);
	if (until <= one.since) return;
	one.since = until;
	const young = items.filter(({ createdAt }) => createdAt > until).map(({ id }) => id);
	one.sent = new Set(young.filter((id) => one.sent.has(id)));
}

function hasEnded({ requireToken }: Open): boolean {
	try {
		requireToken();
		return false;
	} catch {
		return true;
	}
}

function* chunks<T>(all: readonly T[], size: number): Generator<readonly T[]> {
	for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
