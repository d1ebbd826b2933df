import type { Database } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import { type Claimed, claimLane, type Lane, listSuppressedAmong } from "./claim.store.ts";

type Claiming = Parameters<typeof claimLane>[2] & { vault: Pick<Vault, "otherKeysOf"> };

/**
 * Leases due deliveries of a lane, at most `limit`. While several key-encryption keys are configured,
 * suppressions are looked up under each of them: the database knows a delivery's address under one. Call it
 * inside the tenant.
 */
export async function claimDeliveries(
	tx: Database,
	lane: Lane,
	{ vault, ...claiming }: Claiming,
): Promise<readonly Claimed[]> {
	const claimed = await claimLane(tx, lane, claiming);
	const places = claimed
		.filter(({ verdict }) => verdict === "send")
		.flatMap((one) => vault.otherKeysOf(lane.channel, one).map((key) => ({ one, key: key.toString("hex") })));
	if (places.length === 0) return claimed;
	const keys = places.map(({ key }) => key);
	const suppressions = await listSuppressedAmong(tx, lane, { keys, now: claiming.now });
	const stopped = new Set(
		places
			.filter(({ one, key }) =>
				suppressions.some(
					({ addressKey, category, reason }) =>
						addressKey === key &&
						(category === null || category === one.category) &&
						(!isWanted(one, claiming) || reason === "bounce" || reason === "invalid"),
				),
			)
			.map(({ one }) => one.id),
	);
	return claimed.map((one) => (stopped.has(one.id) ? { ...one, verdict: "suppressed" } : one));
}

/**
 * Whether only an address that cannot be reached stops the delivery: it is critical, or a test of a draft.
 */
const isWanted = (
	{ category, templateVersionId }: Claimed,
	{ critical }: { critical: readonly string[] },
): boolean => critical.includes(category) || templateVersionId === undefined;
