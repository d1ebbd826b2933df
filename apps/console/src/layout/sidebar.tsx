import { hasProduct, type Profile } from "@lango/client";
import { useClient, useProfile } from "@lango/client/react";
import { hasUnsaved, LeaveQuestion, LookSwitch } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePlatform } from "../platform.ts";
import { permissionsInServiceQuery } from "../services/service-access.queries.ts";
import { useTexts } from "../texts/texts.ts";
import { type Authority, type NavigationGroup, navigationFor } from "./navigation.ts";
import { useLayoutTexts } from "./texts.ts";

const groups: readonly NavigationGroup[] = ["organisation", "money", "notifications", "platform", "you"];
const link =
	"flex min-h-11 items-center rounded-lg px-3 text-ink hover:bg-hair aria-[current=page]:bg-panel aria-[current=page]:font-semibold aria-[current=page]:text-panel-ink";

/** The navigation and the user. Beside the page on wide screens, in the drawer on narrow ones. */
export function Sidebar({ slug }: { slug: string }) {
	const profile = useProfile();
	return (
		<div className="flex min-h-full flex-col justify-between gap-8 px-4 py-5">
			{profile !== undefined && <Navigation slug={slug} profile={profile} />}
			<Person />
		</div>
	);
}

function Navigation({ slug, profile }: { slug: string; profile: Profile }) {
	const words = useLayoutTexts();
	const inTreasury = useTreasuryPermissions(slug, profile);
	return (
		<nav aria-label={words.navigation} className="grid gap-6">
			{groups
				.filter((group) => group !== "money" || !isOfOwner(slug, profile))
				.map((group) => (
					<Group key={group} group={group} slug={slug} authority={{ profile, inTreasury }} />
				))}
		</nav>
	);
}

/** Whether these are the platform's own pages. No service has roles there. */
const isOfOwner = (slug: string, { isPlatformOwner, tenantSlug }: Profile) =>
	isPlatformOwner && tenantSlug === slug;

/** What the user may do in the treasury of the tenant; undefined until it has answered. */
function useTreasuryPermissions(slug: string, profile: Profile): ReadonlySet<string> | undefined {
	const platform = usePlatform();
	const isHere = platform.settings.services.treasury !== undefined && hasProduct(profile, "treasury");
	const { data } = useQuery({
		...permissionsInServiceQuery(platform, { service: "treasury", slug }, "treasury.payments.view"),
		enabled: isHere && !isOfOwner(slug, profile),
	});
	return data;
}

type Group = { group: NavigationGroup; slug: string; authority: Authority };

function Group({ group, slug, authority }: Group) {
	const words = useLayoutTexts();
	const entries = navigationFor(authority, group);
	if (entries.length === 0) return null;
	// The platform pages are below the owner's own tenant, also while another tenant's pages are open.
	const below = group === "platform" ? authority.profile.tenantSlug : slug;
	return (
		<div>
			<p className="px-3 pb-1 text-sm text-quiet">{words[group]}</p>
			<ul className="grid gap-0.5">
				{entries.map(({ to, label }) => (
					<li key={to}>
						<Link
							to={to}
							params={{ slug: below }}
							activeOptions={{ exact: to === "/$slug", includeSearch: false }}
							className={link}
						>
							{label(words)}
						</Link>
					</li>
				))}
			</ul>
		</div>
	);
}

function Person() {
	const client = useClient();
	const profile = useProfile();
	const words = useLayoutTexts();
	const { signOut } = useTexts();
	const [isAsking, setAsking] = useState(false);
	return (
		<div className="border-t border-hair px-3 pt-4">
			<p className="text-sm text-quiet">{words.person}</p>
			<p className="font-semibold wrap-anywhere">{profile?.name}</p>
			<p className="text-sm text-quiet wrap-anywhere">{profile?.email}</p>
			<button
				type="button"
				onClick={() => (hasUnsaved() ? setAsking(true) : void client.signOut())}
				className="mt-2 min-h-11 w-full rounded-lg border border-edge px-4 font-semibold text-link hover:border-link hover:bg-field"
			>
				{signOut}
			</button>
			{isAsking && <LeaveQuestion onStay={() => setAsking(false)} onLeave={() => void client.signOut()} />}
			<div className="mt-3">
				<LookSwitch />
			</div>
		</div>
	);
}
