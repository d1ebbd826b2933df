import { LRUCache } from "lru-cache";
import type { PersonClaims } from "./access.store.ts";
import { grantsEndAt, type Person } from "./person.ts";

/** A person in memory, and what the token said when the person was looked up. */
export type HeldPerson = {
	readonly person: Person;
	readonly claims: PersonClaims | undefined;
	readonly until: number;
	usedAt: number;
	/** Set as soon as the person is no longer held, or held anew. */
	isDropped: boolean;
};

/** One person of one tenant, by their id at the sign-on service. */
export type PersonKey = { tenantId: string; subject: string };

/** People by tenant and subject, the least recently used forgotten first. */
export type HeldPeople = {
	get(key: PersonKey): HeldPerson | undefined;
	/**
	 * Whether `get` would answer with the same: so that who keeps what it answered need not look again. Says no once in a while for
	 * somebody who is used again and again, so that they are not forgotten as if they were not.
	 */
	stands(found: HeldPerson): boolean;
	/** Looks a person up and keeps them, unless they changed meanwhile: then what was read serves this once. */
	learn<P extends Person | undefined>(
		key: PersonKey,
		claims: PersonClaims | undefined,
		look: () => Promise<P>,
	): Promise<P>;
	/** Drops a person; what is being looked up of them now will not be kept. */
	forget(key: PersonKey): void;
	/** Drops everybody of a tenant, or everybody when none is named, and keeps nobody who is being looked up. */
	forgetTenant(tenantId: string | undefined): void;
	/** Whether changes are heard of: while they are not, nobody is kept. Drops everybody. */
	hear(isHearing: boolean): void;
};

const heldMs = 60_000;
/** Whoever is used again and again is looked for this often at least: the order of forgetting is as fine as this. */
const orderMs = 1_000;

/**
 * Makes a memory for that many people; each is held 60 s, or until the nearest end of an assignment. It keeps whom it
 * learns until it is told that it does not hear.
 */
export function holdPeople({ now, peopleMax }: { now: () => Date; peopleMax: number }): HeldPeople {
	const held = new LRUCache<string, HeldPerson>({
		max: peopleMax,
		dispose: (dropped) => {
			dropped.isDropped = true;
		},
	});
	/** As many as requests wait for the database. */
	const looks = new Set<{ name: string; isOvertaken: boolean }>();
	let isHearing = true;

	const put = (name: string, person: Person, claims: PersonClaims | undefined) => {
		const usedAt = now().getTime();
		const until = Math.min(usedAt + heldMs, grantsEndAt(person));
		held.set(name, { person, claims, until, usedAt, isDropped: false });
	};
	return {
		stands(found) {
			const at = now().getTime();
			return !found.isDropped && at < found.until && at - found.usedAt < orderMs;
		},
		get(key) {
			const name = nameOf(key);
			const found = held.get(name);
			const at = now().getTime();
			if (found === undefined || found.until <= at) return undefined;
			found.usedAt = at;
			return found;
		},
		async learn(key, claims, look) {
			const own = { name: nameOf(key), isOvertaken: false };
			looks.add(own);
			try {
				const person = await look();
				if (person !== undefined && isHearing && !own.isOvertaken) put(own.name, person, claims);
				return person;
			} finally {
				looks.delete(own);
			}
		},
		forget(key) {
			const name = nameOf(key);
			held.delete(name);
			for (const look of looks) if (look.name === name) look.isOvertaken = true;
		},
		forgetTenant(tenantId) {
			const isOf = (name: string) => tenantId === undefined || name.startsWith(`${tenantId} `);
			for (const name of [...held.keys()].filter(isOf)) held.delete(name);
			for (const look of looks) if (isOf(look.name)) look.isOvertaken = true;
		},
		hear(isHearingNow) {
			isHearing = isHearingNow;
			held.clear();
			for (const look of looks) look.isOvertaken = true;
		},
	};
}

const nameOf = ({ tenantId, subject }: PersonKey) => `${tenantId} ${subject}`;
