let prepare: (() => Promise<string>) | undefined;

/**
 * Lets `startPlatform` use another PostgreSQL than its own, on a cluster (tests/citus). `prepared` prepares
 * it before each start, and returns the administrator's URL.
 */
export function startPlatformsOn(prepared: () => Promise<string>): void {
	prepare = prepared;
}

/** The administrator's URL of the PostgreSQL for the next platform; undefined if it starts its own. */
export const platformDatabase = async (): Promise<string | undefined> => prepare?.();
