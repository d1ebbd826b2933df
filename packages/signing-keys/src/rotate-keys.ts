import type { Database } from "@lango/postgres";
import { generateSigningKey, type KeyEncryptionKeys } from "@lango/tokens";
import { dueSteps, type KeyPlan, type KeyStep } from "./rotation.ts";
import { changeKeyStatus, listKeyStates, lockKeys, recordKey } from "./signing-key.store.ts";

type Rotating = {
	encryption: KeyEncryptionKeys;
	now: Date;
	isForced?: boolean;
	/** Defaults to the plan of the sign-on service. */
	plan?: KeyPlan | undefined;
};

/**
 * Runs the rotation steps that are due and returns them. A lock ensures that only one process runs a step.
 */
export async function rotateKeys(
	db: Database,
	{ encryption, now, isForced = false, plan }: Rotating,
): Promise<KeyStep[]> {
	if (!isForced && dueSteps(await listKeyStates(db), due({ now, plan })).length === 0) return [];
	return db.transaction(async (tx) => {
		await lockKeys(tx);
		const steps = dueSteps(await listKeyStates(tx), { ...due({ now, plan }), isForced });
		for (const step of steps) await applyStep(tx, step, { encryption, now });
		return steps;
	});
}

/**
 * Removes a key immediately, for emergencies, and creates or activates its replacement in the same
 * transaction. Verifiers refuse tokens signed with the removed key once they fetch the key set again, which
 * takes at most five minutes. Returns false if the key does not exist.
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
		if (isRemoved) for (const step of missing) await applyStep(tx, step, { encryption, now });
		return isRemoved;
	});
}

const due = ({ now, plan }: Pick<Rotating, "now" | "plan">) => ({ now, ...(plan !== undefined && { plan }) });

async function applyStep(tx: Database, step: KeyStep, { encryption, now }: Rotating): Promise<void> {
	if (step.kind === "make") {
		const key = await generateSigningKey(step.algorithm);
		return recordKey(tx, { key, status: step.status, encryption, now });
	}
	if (step.kind === "remove")
		return void (await changeKeyStatus(tx, { kid: step.kid, status: "removed", now }));
	if (step.retire !== undefined) await changeKeyStatus(tx, { kid: step.retire, status: "retired", now });
	await changeKeyStatus(tx, { kid: step.kid, status: "active", now });
}
