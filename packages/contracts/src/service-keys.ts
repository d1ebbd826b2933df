/** The services that take keys of other services, and what such a key may be used for: its permissions. */
export const servicePurposes = {
	auth: ["tenants.read", "links.read"],
	subscriptions: ["snapshot.read", "usage.report"],
} as const;

export type KeyReceiver = keyof typeof servicePurposes;
export type KeyPurpose = (typeof servicePurposes)[KeyReceiver][number];

/** The variable that a service reads its key for a purpose from: `HOSPITAL_SNAPSHOT_READ_KEY`. */
export const keyVariable = (caller: string, purpose: KeyPurpose): string =>
	`${caller}_${purpose}_KEY`.replaceAll(/[.-]/g, "_").toUpperCase();
