import type { SubscriptionState } from "@lango/client";
import { useClientState } from "@lango/client/react";
import { Link, useLocation } from "@tanstack/react-router";
import { daysUntil } from "../tenant/days-until.ts";
import { useFormat } from "../tenant/use-format.ts";
import { type LayoutTexts, useLayoutTexts } from "./texts.ts";

const trialWarningDays = 3;

/**
 * Warns on every page except the subscription page if the subscription has expired, is overdue or ends
 * soon.
 */
export function SubscriptionBanner({ slug }: { slug: string }) {
	const state = useClientState();
	const isMounted = useLocation({ select: ({ pathname }) => pathname.startsWith(`/${slug}/subscribe`) });
	const words = useLayoutTexts();
	const format = useFormat();
	if (state.status !== "ready" || state.profile.tenantSlug !== slug || isMounted) return null;
	const message = describe(state.subscription, words.banner, (at) => format.day(at));
	if (message === undefined) return null;
	const mayRenew = state.profile.globalRoles.some((role) => role === "admin" || role === "superuser");
	return (
		<aside
			aria-label={words.subscription}
			className="flex flex-wrap items-center gap-x-5 border-b-2 border-warning bg-warning-wash px-4 py-1.5 text-warning sm:px-6 lg:px-10"
		>
			<p className="py-1.5">{message}</p>
			{mayRenew ? (
				<Link
					to="/$slug/subscribe"
					params={{ slug }}
					className="flex min-h-11 items-center font-semibold underline underline-offset-4"
				>
					{words.banner.renew}
				</Link>
			) : (
				<p>{words.banner.askAdministrator}</p>
			)}
		</aside>
	);
}

function describe(
	state: SubscriptionState,
	words: LayoutTexts["banner"],
	day: (at: string) => string,
): string | undefined {
	if (state.kind !== "found") return undefined;
	const { status, access, grace_until, expires_at } = state.subscription;
	if (status === "PAST_DUE") return words.pastDue;
	if (status === "EXPIRED")
		return access === "grace" && grace_until !== null ? words.grace(day(grace_until)) : words.expired;
	const days = daysUntil(expires_at, new Date());
	return status === "TRIAL" && days <= trialWarningDays ? words.trial(Math.max(1, days)) : undefined;
}
