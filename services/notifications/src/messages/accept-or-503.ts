import { chassisFailures } from "@lango/chassis";
import { EntitlementsUnavailable } from "@lango/entitlements";

/** Returns the result; an unknown entitlement becomes `entitlements_unavailable` (503). */
export async function acceptOr503<T>(accepting: Promise<T>): Promise<T> {
	return accepting.catch((error) => {
		if (error instanceof EntitlementsUnavailable)
			throw chassisFailures.entitlements_unavailable({ cause: error });
		throw error;
	});
}
