import { defineJob, defineRecoveryScan } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { listHalfErased } from "./erase-person.store.ts";
import { erasePerson } from "./erase-person.ts";

/** Erases a person in every tenant, after the sign-on service erased the person. */
export const erasePeople = defineJob<Notifications>({
	name: "recipients.erase",
	timeoutSeconds: 300,
	work: (domain, { id }) => erasePerson(domain, id),
});

const overdueMs = 15 * 60_000;

/** Finds people who are not completely erased and whose job was lost, and enqueues it again. */
export const recoverErasing = defineRecoveryScan<Notifications>({
	job: erasePeople,
	everySeconds: 300,
	find: async ({ db }, { now, after, limit }) => {
		const before = new Date(now.getTime() - overdueMs);
		return (await listHalfErased(db, { before, after, limit })).map((id) => ({ id }));
	},
});
