import type { Settings } from "../settings.ts";

/** Where a member goes to work: the console of the organisation; undefined if these pages do not know it. */
export function applicationAddress({ consoleUrl }: Settings, tenantSlug: string): string | undefined {
	return consoleUrl === undefined ? undefined : `${consoleUrl}/${encodeURIComponent(tenantSlug)}`;
}
