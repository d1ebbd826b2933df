import { useProfile } from "@lango/client/react";
import { SkipLink, TenantBadge } from "@lango/interface";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useCallback, useState } from "react";
import { Bell } from "../inbox/bell.tsx";
import { OutletSwitch } from "../outlet-switch/outlet-switch.tsx";
import { usePlatform } from "../platform.ts";
import { useTenant } from "../tenant/use-tenant.ts";
import { useTexts } from "../texts/texts.ts";
import { Drawer } from "./drawer.tsx";
import { InLayout } from "./plain-page.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SubscriptionBanner } from "./subscription-banner.tsx";
import { useLayoutTexts } from "./texts.ts";

/** The layout of a tenant's pages: a bar with the tenant's name, the navigation and the page. */
export function Layout({ slug, children }: { slug: string; children: ReactNode }) {
	const [isOpen, setOpen] = useState(false);
	const close = useCallback(() => setOpen(false), []);
	return (
		<div className="flex min-h-dvh flex-col">
			<SkipLink />
			<Bar slug={slug} onMenu={() => setOpen(true)} />
			{isOpen && (
				<Drawer onClose={close}>
					<Sidebar slug={slug} />
				</Drawer>
			)}
			<div className="flex grow">
				<aside className="sticky top-0 hidden max-h-dvh w-64 shrink-0 self-stretch overflow-y-auto border-r border-hair lg:block print:hidden">
					<Sidebar slug={slug} />
				</aside>
				<div className="flex min-w-0 grow flex-col">
					<SubscriptionBanner slug={slug} />
					<main
						id="content"
						tabIndex={-1}
						className="w-full max-w-6xl grow px-4 py-6 sm:px-6 lg:px-10 lg:py-9"
					>
						<InLayout value={true}>{children}</InLayout>
					</main>
				</div>
			</div>
		</div>
	);
}

function Bar({ slug, onMenu }: { slug: string; onMenu: () => void }) {
	const { settings } = usePlatform();
	const tenant = useTenant();
	const words = useLayoutTexts();
	const { wordmark } = useTexts();
	const profile = useProfile();
	const isGuest = profile?.isPlatformOwner === true && profile.tenantSlug !== slug;
	return (
		<header className="bg-panel text-panel-ink print:hidden">
			<div className="flex min-h-16 items-center gap-3 px-4 py-2 sm:px-6">
				<button
					type="button"
					onClick={onMenu}
					className="min-h-11 rounded-lg border border-panel-quiet px-4 font-semibold hover:border-panel-ink lg:hidden"
				>
					{words.menu}
				</button>
				<Link to="/$slug" params={{ slug }} className="flex min-h-11 min-w-0 items-center gap-3">
					<span className="hidden rounded-b-md sm:block">
						{tenant && <TenantBadge tenant={tenant} authUrl={settings.authUrl} isSmall />}
					</span>
					<span className="min-w-0">
						<span className="line-clamp-2 font-display text-lg leading-tight wrap-anywhere sm:text-xl">
							{tenant?.name ?? slug}
						</span>
						{isGuest && <span className="block text-sm text-panel-quiet">{words.asPlatformOwner}</span>}
					</span>
				</Link>
				<div className="ml-auto flex items-center gap-5">
					<OutletSwitch slug={slug} />
					<Bell />
					<p className="hidden font-display text-xl text-panel-quiet lg:block">{wordmark}</p>
				</div>
			</div>
		</header>
	);
}
