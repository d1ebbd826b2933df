/**
 * The services that accept keys of other services, with the purposes of such keys, which are their
 * permissions.
 */
export const servicePurposes = {
	auth: ["tenants.read", "links.read", "recipients.read"],
	subscriptions: ["snapshot.read", "usage.report"],
} as const;

export type KeyReceiver = keyof typeof servicePurposes;
export type KeyPurpose = (typeof servicePurposes)[KeyReceiver][number];

/** Returns the environment variable with a service's key for a purpose: `HOSPITAL_SNAPSHOT_READ_KEY`. */
export const keyVariable = (caller: string, purpose: KeyPurpose): string =>
	`${caller}_${purpose}_KEY`.replaceAll(/[.-]/g, "_").toUpperCase();
