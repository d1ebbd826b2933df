import { type KeyStep, removeKey, rotateKeys } from "@lango/signing-keys";
import { readKeyEncryptionKeys } from "@lango/tokens";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";

type Needs = Pick<Dependencies, "db" | "keyRing" | "settings">;

/**
 * The outcome of a rotation: keys were created, keys became active, or the keys have not been published for
 * long enough.
 */
export type Rotated = "prepared" | "changed" | "waiting";

const encryptionOf = ({ settings }: Needs) => readKeyEncryptionKeys(settings.keyEncryptionKeys.reveal());

/**
 * Rotates the keys: creates the next ones, or activates those that have been published for long enough. The
 * previous keys stay published until all tokens that they signed have expired. This process uses the new
 * keys at once, others after their next reload.
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
 * Revokes a key at once, in an emergency. This service rejects its tokens from now on, other services after
 * their next fetch of the keys (within five minutes). Another key replaces it. Throws `key_not_found`.
 */
export async function revokeKey(needs: Needs, kid: string, origin: Origin): Promise<void> {
	await needs.db.transaction(async (tx) => {
		const isRemoved = await removeKey(tx, { kid, encryption: encryptionOf(needs), now: origin.now });
		if (!isRemoved) throw failures.key_not_found();
		await recordAudit(tx, origin, { action: "key.revoked", subject: kid });
	});
	await needs.keyRing.refresh();
}
