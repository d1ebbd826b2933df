import { type KeyStep, removeKey, rotateKeys } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";

type Needs = Pick<Dependencies, "db" | "keyRing" | "settings">;

/** What came of asking for new keys: they were made, they sign from now on, or they are not published for long enough yet. */
export type Rotated = "prepared" | "changed" | "waiting";

const encryptionOf = ({ settings }: Needs) => readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());

/**
 * Asks for new keys: makes those that come next, or has those that are published long enough sign from now on. The keys before
 * stay published as long as what they signed lives. This process uses the new ones at once, others within their refresh.
 */
export async function askForNewKeys(needs: Needs, origin: Origin): Promise<Rotated> {
	const steps = await needs.db.transaction(async (tx) => {
		const taken = await rotateKeys(tx, {
			encryption: encryptionOf(needs),
			now: origin.now,
			isForced: true,
		});
		if (taken.length > 0)
			await recordAudit(tx, origin, {
				action: "keys.rotated",
				subject: "signing_keys",
				after: { steps: taken },
			});
		return taken;
	});
	await needs.keyRing.refresh();
	return outcomeOf(steps);
}

function outcomeOf(steps: readonly KeyStep[]): Rotated {
	if (steps.some(({ kind }) => kind === "activate")) return "changed";
	return steps.some(({ kind }) => kind === "make") ? "prepared" : "waiting";
}

/**
 * Removes a key at once, in an emergency: what it signed is refused here from now on, and by others as soon as they fetch the
 * keys again (within five minutes). Another signs in its place. Throws `key_not_found`.
 */
export async function revokeKey(needs: Needs, kid: string, origin: Origin): Promise<void> {
	await needs.db.transaction(async (tx) => {
		const isRemoved = await removeKey(tx, { kid, encryption: encryptionOf(needs), now: origin.now });
		if (!isRemoved) throw failures.key_not_found();
		await recordAudit(tx, origin, { action: "key.revoked", subject: kid });
	});
	await needs.keyRing.refresh();
}
