import { useProfile } from "@lango/client/react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type RefObject, type ToggleEvent, useId, useRef, useState } from "react";
import { Loaded } from "../notices/loaded.tsx";
import { usePlatform } from "../platform.ts";
import { useFormat } from "../tenant/use-format.ts";
import { countKey, countQuery, type InboxItem, latestQuery, markAll, ownAddress } from "./inbox.queries.ts";
import { safeLink } from "./safe-link.ts";
import { useInboxTexts } from "./texts.ts";
import { useAnnouncement } from "./use-announcement.ts";
import { useLiveInbox } from "./use-live-inbox.ts";

const shownMax = 99;

/**
 * The bell in the bar of every page: the number of items that the user has not seen, and the newest items.
 * It shows no number while the notification service is away. The inbox is that of the user's own tenant.
 */
export function Bell() {
	const platform = usePlatform();
	const slug = useProfile()?.tenantSlug;
	if (slug === undefined || ownAddress(platform, slug) === undefined) return null;
	return <LiveBell slug={slug} />;
}

function LiveBell({ slug }: { slug: string }) {
	const words = useInboxTexts();
	const popover = useRef<HTMLDivElement>(null);
	const [isOpen, setOpen] = useState(false);
	const id = useId();
	useLiveInbox(slug);
	const { data } = useQuery(countQuery(usePlatform(), slug));
	const unseen = data?.unseen ?? 0;
	const announcement = useAnnouncement(data?.unseen, words.arrived);
	const seeAll = useSeeAll(slug);
	const onToggle = ({ newState }: ToggleEvent) => {
		setOpen(newState === "open");
		if (newState === "open" && unseen > 0) seeAll();
	};
	return (
		<>
			<button
				type="button"
				popoverTarget={id}
				aria-expanded={isOpen}
				aria-label={unseen > 0 ? words.bellWith(unseen) : words.bell}
				className="relative grid size-11 shrink-0 place-items-center rounded-lg border border-panel-quiet hover:border-panel-ink"
			>
				<BellIcon />
				{unseen > 0 && (
					<span
						aria-hidden="true"
						className="absolute -top-2 -right-2 min-w-6 rounded-full bg-danger px-1 text-center text-sm leading-6 font-semibold text-danger-ink tabular-nums"
					>
						{unseen > shownMax ? `${shownMax}+` : unseen}
					</span>
				)}
			</button>
			<div
				ref={popover}
				id={id}
				popover="auto"
				role="dialog"
				aria-label={words.bell}
				onToggle={onToggle}
				className="fixed inset-auto top-16 right-2 m-0 max-h-[80dvh] w-96 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-xl border border-edge bg-wall p-4 text-ink shadow-lg sm:right-6"
			>
				{isOpen && <Latest slug={slug} popover={popover} />}
			</div>
			<span role="status" className="sr-only">
				{announcement}
			</span>
		</>
	);
}

/** Marks all items as seen. A failure changes nothing: the number stays until the next opening. */
function useSeeAll(slug: string): () => void {
	const platform = usePlatform();
	const queries = useQueryClient();
	const { mutate } = useMutation({
		mutationFn: () => markAll(platform, slug, "see"),
		onSuccess: (counts) => queries.setQueryData(countKey(slug), counts),
	});
	return mutate;
}

function Latest({ slug, popover }: { slug: string; popover: RefObject<HTMLDivElement | null> }) {
	const words = useInboxTexts();
	const latest = useQuery(latestQuery(usePlatform(), slug));
	return (
		<>
			<Loaded query={latest}>
				{(items) =>
					items.length === 0 ? (
						<p className="text-quiet">{words.nothing}</p>
					) : (
						<ul className="grid gap-3">
							{items.map((item) => (
								<LatestItem key={item.id} item={item} />
							))}
						</ul>
					)
				}
			</Loaded>
			<Link
				to="/$slug/inbox"
				params={{ slug }}
				onClick={() => popover.current?.hidePopover()}
				className="mt-3 flex min-h-11 items-center border-t border-hair pt-2 font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2"
			>
				{words.openInbox}
			</Link>
		</>
	);
}

function LatestItem({ item: { title, body, link, created_at, read_at } }: { item: InboxItem }) {
	const format = useFormat();
	const words = useInboxTexts();
	const href = safeLink(link);
	const isUnread = read_at === null;
	return (
		<li className="border-b border-hair pb-3 last:border-0 last:pb-0">
			<p className={`wrap-anywhere ${isUnread ? "font-semibold" : ""}`}>
				{href === undefined ? (
					title
				) : (
					<a
						href={href}
						target="_blank"
						rel="noopener noreferrer"
						className="text-link underline decoration-1 underline-offset-4 hover:decoration-2"
					>
						{title}
						<span className="sr-only">, {words.opensTab}</span>
					</a>
				)}
				{isUnread && <span className="sr-only">, {words.unread}</span>}
			</p>
			<p className="line-clamp-2 text-quiet wrap-anywhere">{body}</p>
			<p className="text-sm text-quiet">{format.time(created_at)}</p>
		</li>
	);
}

function BellIcon() {
	return (
		<svg
			aria-hidden="true"
			viewBox="0 0 24 24"
			className="size-6"
			fill="none"
			stroke="currentColor"
			strokeWidth="1.8"
			strokeLinecap="round"
			strokeLinejoin="round"
		>
			<path d="M5 17h14l-1.6-2.4V10a5.4 5.4 0 0 0-10.8 0v4.6L5 17Z" />
			<path d="M10 20a2.2 2.2 0 0 0 4 0" />
		</svg>
	);
}
