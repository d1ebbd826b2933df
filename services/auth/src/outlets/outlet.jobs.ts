import { defineJob, tenantIdOf } from "@lango/jobs";
import type { Dependencies } from "../dependencies.ts";
import { announceAssigned, announceAssignedName } from "./assign-first-outlet.ts";

/**
 * Publishes `auth.user.updated` for the members who have the first outlet when a second one is opened. It
 * has no recovery scan: services read the same from the person's next token.
 */
export const announceAssignedMembers = defineJob<Pick<Dependencies, "db">>({
	name: announceAssignedName,
	timeoutSeconds: 300,
	work: (needs, turn) =>
		announceAssigned(needs, {
			tenantId: tenantIdOf(turn),
			outletId: turn.id,
			now: turn.now(),
			signal: turn.signal,
		}),
});
