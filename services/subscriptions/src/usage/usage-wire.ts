import type { Usage } from "@lango/contracts";
import { unlimited } from "../rules/terms/terms.ts";
import type { Basis } from "./basis.ts";

/** Usage as the API returns it. */
export function usageToWire(
	{ metric, window, limitValue }: Basis,
	{ used, overage, timeZone }: { used: number; overage: number; timeZone: string },
): Usage {
	const isBounded = limitValue !== null && limitValue !== unlimited;
	return {
		metric: metric.code,
		used,
		limit: metric.limit,
		limit_value: limitValue,
		remaining: isBounded ? Math.max(0, limitValue - used) : null,
		overage,
		window: metric.window,
		starts_at: window.startsAt?.toISOString() ?? null,
		ends_at: window.endsAt?.toISOString() ?? null,
		time_zone: timeZone,
	};
}
