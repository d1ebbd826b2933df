import { Button, type Column } from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import {
	changeItem,
	countKey,
	countQuery,
	type InboxItem,
	itemsKey,
	markAll,
	ownAddress,
	wholeOf,
} from "../../inbox/inbox.queries.ts";
import { safeLink } from "../../inbox/safe-link.ts";
import { useInboxTexts } from "../../inbox/texts.ts";
import { Page } from "../../layout/page.tsx";
import { choiceOf } from "../../lists/filter-bar.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { useExplain } from "../../notices/explain.ts";
import { showToast } from "../../notices/toast.ts";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";

const route = getRouteApi("/$slug/inbox");
const states = ["inbox", "unread", "archived"] as const;

/** `/{slug}/inbox`: the messages that were sent to the user on the channel in_app. */
export function InboxPage() {
	const { slug } = route.useParams();
	const address = ownAddress(usePlatform(), slug);
	return address === undefined ? <NotFoundPage /> : <Inbox slug={slug} address={address} />;
}

function Inbox({ slug, address }: { slug: string; address: string }) {
	const words = useInboxTexts();
	const whole = wholeOf(usePlatform(), slug);
	const list = usePagedList<InboxItem>({
		key: itemsKey(slug),
		address: `${address}/inbox`,
		...whole,
		fields: [{ ...choiceOf("state", words.show, [states, words.states]), fallback: "inbox" }],
	});
	const state = states.find((known) => known === list.filters.filter["state"]) ?? "inbox";
	return (
		<Page title={words.title} lead={words.lead} actions={<ReadAll slug={slug} />}>
			<PagedList
				isMain
				list={list}
				caption={words.title}
				columns={useColumns(slug)}
				keyOf={({ id }) => id}
				empty={words.empty[state]}
			/>
		</Page>
	);
}

/** Marks every item as read. Without unread items there is nothing to do. */
function ReadAll({ slug }: { slug: string }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useInboxTexts();
	const explain = useExplain();
	const { data } = useQuery(countQuery(platform, slug));
	const { mutate, isPending } = useMutation({
		mutationFn: () => markAll(platform, slug, "read"),
		onSuccess: async (counts) => {
			queries.setQueryData(countKey(slug), counts);
			await queries.invalidateQueries({ queryKey: itemsKey(slug) });
			showToast("done", words.allRead);
		},
		onError: (error) => showToast("error", explain(error).text),
	});
	if ((data?.unread ?? 0) === 0 && !isPending) return null;
	return (
		<Button onClick={() => mutate()} busyText={isPending ? words.readingAll : undefined}>
			{words.readAll}
		</Button>
	);
}

function useColumns(slug: string): Column<InboxItem>[] {
	const words = useInboxTexts();
	const format = useFormat();
	return [
		{ head: words.item, cell: (item) => <Content item={item} /> },
		{ head: words.arrivedAt, cell: ({ created_at }) => format.time(created_at) },
		{
			head: words.actions,
			isHeadHidden: true,
			isNumber: true,
			cell: (item) => <Actions slug={slug} item={item} />,
		},
	];
}

function Content({ item: { title, body, read_at } }: { item: InboxItem }) {
	const words = useInboxTexts();
	return (
		<>
			<span className={read_at === null ? "font-semibold" : "font-normal"}>{title}</span>
			{read_at === null && (
				<span className="ml-2 inline-block rounded-md bg-done-wash px-2 text-sm font-normal text-done">
					{words.unread}
				</span>
			)}
			<span className="block max-w-prose text-base font-normal whitespace-pre-line text-quiet">{body}</span>
		</>
	);
}

function Actions({ slug, item }: { slug: string; item: InboxItem }) {
	const platform = usePlatform();
	const queries = useQueryClient();
	const words = useInboxTexts();
	const explain = useExplain();
	const { mutate, isPending } = useMutation({
		mutationFn: (change: { read?: boolean; archived?: boolean }) =>
			changeItem(platform, slug, { id: item.id, ...change }),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["inbox", slug] }),
		onError: (error) => showToast("error", explain(error).text),
	});
	const { title, read_at, archived_at } = item;
	const href = safeLink(item.link);
	const isUnread = read_at === null;
	const action = (label: string, change: { read?: boolean; archived?: boolean }) => (
		<Button
			kind="quiet"
			disabled={isPending}
			aria-label={`${label}: ${title}`}
			onClick={() => mutate(change)}
		>
			{label}
		</Button>
	);
	return (
		<span className="flex flex-wrap gap-x-5 rows:justify-end">
			{href !== undefined && (
				<a
					href={href}
					target="_blank"
					rel="noopener noreferrer"
					onClick={() => isUnread && mutate({ read: true })}
					aria-label={`${words.openOf(title)}, ${words.opensTab}`}
					className="inline-flex min-h-12 items-center font-semibold text-link underline decoration-1 underline-offset-4 hover:decoration-2"
				>
					{words.open}
				</a>
			)}
			{action(isUnread ? words.markRead : words.markUnread, { read: isUnread })}
			{archived_at === null
				? action(words.archive, { archived: true })
				: action(words.restore, { archived: false })}
		</span>
	);
}
