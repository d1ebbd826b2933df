import type { Database } from "@lango/postgres";
import { generateSigningKey, type KeyEncryptionKeys } from "@lango/tokens";
import { dueSteps, type KeyPlan, type KeyStep } from "./rotation.ts";
import { changeKeyStatus, listKeyStates, lockKeys, recordKey } from "./signing-key.store.ts";

type Rotating = {
	encryption: KeyEncryptionKeys;
	now: Date;
	isAsked?: boolean;
	/** Left out: the sign-on service's. */
	plan?: KeyPlan | undefined;
};

/** Takes the steps that are due; of several processes one does, the others find nothing left to do. Returns what was done. */
export async function rotateKeys(
	db: Database,
	{ encryption, now, isAsked = false, plan }: Rotating,
): Promise<KeyStep[]> {
	if (!isAsked && dueSteps(await listKeyStates(db), due({ now, plan })).length === 0) return [];
	return db.transaction(async (tx) => {
		await lockKeys(tx);
		const steps = dueSteps(await listKeyStates(tx), { ...due({ now, plan }), isAsked });
		for (const step of steps) await take(tx, step, { encryption, now });
		return steps;
	});
}

/**
 * Removes a key at once, in an emergency: tokens it signed are refused as soon as the key sets others hold are fetched
 * again (within five minutes). Another takes its place before the transaction ends. False when there is no such key.
 */
export async function removeKey(
	db: Database,
	{ kid, encryption, now, plan }: Rotating & { kid: string },
): Promise<boolean> {
	return db.transaction(async (tx) => {
		await lockKeys(tx);
		const isRemoved = await changeKeyStatus(tx, { kid, status: "removed", now });
		const missing = dueSteps(await listKeyStates(tx), due({ now, plan })).filter(
			({ kind }) => kind !== "remove",
		);
		if (isRemoved) for (const step of missing) await take(tx, step, { encryption, now });
		return isRemoved;
	});
}

const due = ({ now, plan }: Pick<Rotating, "now" | "plan">) => ({ now, ...(plan !== undefined && { plan }) });

async function take(tx: Database, step: KeyStep, { encryption, now }: Rotating): Promise<void> {
	if (step.kind === "make") {
		const key = await generateSigningKey(step.algorithm);
		return recordKey(tx, { key, status: step.status, encryption, now });
	}
	if (step.kind === "remove")
		return void (await changeKeyStatus(tx, { kid: step.kid, status: "removed", now }));
	if (step.retire !== undefined) await changeKeyStatus(tx, { kid: step.retire, status: "retired", now });
	await changeKeyStatus(tx, { kid: step.kid, status: "active", now });
}
