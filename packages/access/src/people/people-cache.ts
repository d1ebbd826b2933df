import { LRUCache } from "lru-cache";
import type { PersonClaims } from "./access.store.ts";
import { grantsEndAt, type Person } from "./person.ts";

/** A cached person with the claims of the token at the time of the look-up. */
export type CachedPerson = {
	readonly person: Person;
	readonly claims: PersonClaims | undefined;
	readonly until: number;
	usedAt: number;
	/** Set when the entry is invalidated, replaced or evicted. */
	isInvalidated: boolean;
};

/** A person of a tenant, by their id at the sign-on service. */
export type PersonKey = { tenantId: string; subject: string };

/** A bounded cache of people by tenant and subject. The least recently used are evicted first. */
export type PeopleCache = {
	get(key: PersonKey): CachedPerson | undefined;
	/**
	 * Whether `get` would still return this entry. Returns false at least once per `orderMs`, so that `get` is
	 * called and the order of eviction stays correct for entries in use.
	 */
	isCurrent(found: CachedPerson): boolean;
	/**
	 * Loads a person and caches them, unless they changed during the load; the result is then only returned.
	 */
	load<P extends Person | undefined>(
		key: PersonKey,
		claims: PersonClaims | undefined,
		look: () => Promise<P>,
	): Promise<P>;
	/** Invalidates a person. The results of loads in progress are not cached. */
	invalidate(key: PersonKey): void;
	/** Invalidates the people of a tenant, or all people. The results of loads in progress are not cached. */
	invalidateTenant(tenantId: string | undefined): void;
	/** Clears the cache. While the process is not subscribed to changes, nothing is cached. */
	setSubscribed(isSubscribed: boolean): void;
};

const cachedMs = 60_000;
/** The precision of the order of eviction. */
const orderMs = 1_000;

/**
 * Creates a cache for `peopleMax` people. An entry expires after 60 s, or at the nearest end of an
 * assignment.
 */
export function createPeopleCache({ now, peopleMax }: { now: () => Date; peopleMax: number }): PeopleCache {
	const entries = new LRUCache<string, CachedPerson>({
		max: peopleMax,
		dispose: (dropped) => {
			dropped.isInvalidated = true;
		},
	});
	/** The loads in progress. */
	const looks = new Set<{ name: string; isOvertaken: boolean }>();
	let isSubscribed = true;

	const put = (name: string, person: Person, claims: PersonClaims | undefined) => {
		const usedAt = now().getTime();
		const until = Math.min(usedAt + cachedMs, grantsEndAt(person));
		entries.set(name, { person, claims, until, usedAt, isInvalidated: false });
	};
	return {
		isCurrent(found) {
			const at = now().getTime();
			return !found.isInvalidated && at < found.until && at - found.usedAt < orderMs;
		},
		get(key) {
			const name = nameOf(key);
			const found = entries.get(name);
			const at = now().getTime();
			if (found === undefined || found.until <= at) return undefined;
			found.usedAt = at;
			return found;
		},
		async load(key, claims, look) {
			const own = { name: nameOf(key), isOvertaken: false };
			looks.add(own);
			try {
				const person = await look();
				if (person !== undefined && isSubscribed && !own.isOvertaken) put(own.name, person, claims);
				return person;
			} finally {
				looks.delete(own);
			}
		},
		invalidate(key) {
			const name = nameOf(key);
			entries.delete(name);
			for (const look of looks) if (look.name === name) look.isOvertaken = true;
		},
		invalidateTenant(tenantId) {
			const isOf = (name: string) => tenantId === undefined || name.startsWith(`${tenantId} `);
			for (const name of [...entries.keys()].filter(isOf)) entries.delete(name);
			for (const look of looks) if (isOf(look.name)) look.isOvertaken = true;
		},
		setSubscribed(isSubscribedNow) {
			isSubscribed = isSubscribedNow;
			entries.clear();
			for (const look of looks) look.isOvertaken = true;
		},
	};
}

const nameOf = ({ tenantId, subject }: PersonKey) => `${tenantId} ${subject}`;
