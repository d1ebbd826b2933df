import { useClient, useProfile } from "@lango/client/react";
import { LookSwitch } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { useTexts } from "../texts/texts.ts";
import { type NavigationGroup, navigationFor } from "./navigation.ts";
import { useLayoutTexts } from "./texts.ts";

const groups: readonly NavigationGroup[] = ["organisation", "notifications", "platform", "you"];
const link =
	"flex min-h-11 items-center rounded-lg px-3 text-ink hover:bg-hair aria-[current=page]:bg-panel aria-[current=page]:font-semibold aria-[current=page]:text-panel-ink";

/** The navigation and the user. Beside the page on wide screens, in the drawer on narrow ones. */
export function Sidebar({ slug }: { slug: string }) {
	const words = useLayoutTexts();
	return (
		<div className="flex min-h-full flex-col justify-between gap-8 px-4 py-5">
			<nav aria-label={words.navigation} className="grid gap-6">
				{groups.map((group) => (
					<Group key={group} group={group} slug={slug} />
				))}
			</nav>
			<Person />
		</div>
	);
}

function Group({ group, slug }: { group: NavigationGroup; slug: string }) {
	const words = useLayoutTexts();
	const profile = useProfile();
	const entries = navigationFor(profile, group);
	if (entries.length === 0) return null;
	// The platform pages are below the owner's own tenant, also while another tenant's pages are open.
	const below = group === "platform" ? (profile?.tenantSlug ?? slug) : slug;
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
	return (
		<div className="border-t border-hair px-3 pt-4">
			<p className="text-sm text-quiet">{words.person}</p>
			<p className="font-semibold wrap-anywhere">{profile?.name}</p>
			<p className="text-sm text-quiet wrap-anywhere">{profile?.email}</p>
			<button
				type="button"
				onClick={() => void client.signOut()}
				className="mt-2 min-h-11 w-full rounded-lg border border-edge px-4 font-semibold text-link hover:border-link hover:bg-field"
			>
				{signOut}
			</button>
			<div className="mt-3">
				<LookSwitch />
			</div>
		</div>
	);
}
