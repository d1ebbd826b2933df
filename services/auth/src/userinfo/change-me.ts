import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceUser } from "../members/announce-user.ts";
import { isKnown } from "../memberships/membership-state.ts";
import type { MeChange } from "../users/me.ts";
import { changeLook, lockPerson } from "../users/person.store.ts";

/**
 * Changes the language and the theme of a person. Another language is announced, because other services
 * write mails in it. Throws `session_ended` if the person was disabled in the meantime.
 */
export function changeMe(
	{ db }: Pick<Dependencies, "db">,
	{ userId, change }: { userId: string; change: MeChange },
	origin: Origin,
): Promise<void> {
	return db.transaction(async (tx) => {
		const before = await lockPerson(tx, userId);
		if (before === undefined || !isKnown(before)) throw failures.session_ended();
		await changeLook(tx, { userId, ...change });
		if (change.locale !== undefined && change.locale !== before.locale)
			await announceUser(tx, { userId, origin });
	});
}
