import type { PersonClaims } from "./access.store.ts";
import { grantsEndAt, type Person } from "./person.ts";

/** A person in memory, and what the token said when the person was looked up. */
type HeldPerson = { person: Person; claims: PersonClaims | undefined; until: number };

/** People by tenant and subject, the least recently used forgotten first. */
export type HeldPeople = {
	get(tenantId: string, subject: string): HeldPerson | undefined;
	put(key: { tenantId: string; subject: string }, person: Person, claims: PersonClaims | undefined): void;
	drop(tenantId: string, subject: string): void;
	clear(): void;
};

const heldMs = 60_000;

/** Makes a memory for that many people; each is held 60 s, or until the nearest end of an assignment. */
export function holdPeople({ now, peopleMax }: { now: () => Date; peopleMax: number }): HeldPeople {
	const held = new Map<string, HeldPerson>();
	return {
		get(tenantId, subject) {
			const key = tenantId + subject;
			const found = held.get(key);
			if (found === undefined || found.until <= now().getTime()) return undefined;
			held.delete(key);
			held.set(key, found);
			return found;
		},
		put({ tenantId, subject }, person, claims) {
			held.delete(tenantId + subject);
			held.set(tenantId + subject, {
				person,
				claims,
				until: Math.min(now().getTime() + heldMs, grantsEndAt(person)),
			});
			const oldest = held.size > peopleMax ? held.keys().next().value : undefined;
			if (oldest !== undefined) held.delete(oldest);
		},
		drop: (tenantId, subject) => void held.delete(tenantId + subject),
		clear: () => held.clear(),
	};
}
