import { type Cache, createCache, type Entry } from "@lango/memory";
import type { PersonClaims } from "./access.store.ts";
import { grantsEndAt, type Person } from "./person.ts";

/** A person with the claims of the token at the time of the look-up. */
type KnownPerson = { person: Person; claims: PersonClaims | undefined };

/** A cached person. */
export type CachedPerson = Entry<KnownPerson>;

const cachedMs = 60_000;

/**
 * Creates a cache for `peopleMax` people by `personKey`. An entry expires after 60 s, or at the nearest end
 * of an assignment.
 */
export const createPeopleCache = (options: { now: () => Date; peopleMax: number }): Cache<KnownPerson> =>
	createCache({
		now: options.now,
		sizeMax: options.peopleMax,
		maxAgeMs: cachedMs,
		untilOf: ({ person }) => grantsEndAt(person),
	});

/** The key of a person of a tenant, by their id at the sign-on service. */
export const personKey = (tenantId: string, subject: string): string => `${tenantId} ${subject}`;
