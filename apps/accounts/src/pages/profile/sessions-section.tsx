import type { OwnSession } from "@lango/contracts";
import {
	Button,
	type Column,
	ConfirmDialog,
	DataTable,
	formatTime,
	Notice,
	nameZone,
	Pager,
	RowName,
	useCursorPages,
	useLanguage,
} from "@lango/interface";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { explainRefusal } from "../../session/explain-refusal.ts";
import { useSettings } from "../../settings.ts";
import { useZone } from "../../tenant/use-zone.ts";
import { useTexts } from "../../texts/texts.ts";
import { endOtherSessions, endSession, pageSize, sessionsQuery } from "./profile.queries.ts";
import { Section } from "./section.tsx";

/** The sessions of the person. One is ended at once, all others after a confirmation. */
export function SessionsSection({ tenantSlug }: { tenantSlug: string }) {
	const { authUrl } = useSettings();
	const texts = useTexts();
	const language = useLanguage();
	const zone = { language, timeZone: useZone(tenantSlug) };
	const pages = useCursorPages();
	const sessions = useQuery(sessionsQuery(authUrl, pages.cursor));
	const ending = useEnding();
	const columns = useColumns(zone, ending);
	const { profile: words } = texts;

	const failure = ending.error ?? sessions.error;
	const hasOthers = pages.number > 1 || (sessions.data?.items.length ?? 0) > 1;
	return (
		<Section title={words.sessions} lead={words.zone(nameZone(zone))}>
			<div className="mb-4 grid gap-3 empty:hidden">
				{ending.data !== undefined && <Notice kind="done">{ending.data}</Notice>}
				{failure !== null && <Notice kind="error">{explainRefusal(failure, texts).message}</Notice>}
			</div>
			{sessions.data === undefined ? (
				<p className="text-quiet">{sessions.isPending ? words.loading : null}</p>
			) : (
				<DataTable
					caption={words.sessions}
					columns={columns}
					rows={sessions.data.items}
					keyOf={({ id }) => id}
					empty={words.noSessions}
				/>
			)}
			<Pager
				pages={pages}
				nextCursor={sessions.data?.next_cursor}
				{...{ size: pageSize, count: sessions.data?.items.length ?? 0 }}
			/>
			{hasOthers && <EndAll ending={ending} onEnded={pages.first} />}
		</Section>
	);
}

type Ending = ReturnType<typeof useEnding>;

/** Ends a session, or all others if undefined. Returns the message to show. */
function useEnding() {
	const { authUrl } = useSettings();
	const queries = useQueryClient();
	const { profile: words } = useTexts();
	return useMutation({
		mutationFn: async (session: OwnSession | undefined) => {
			if (session === undefined) await endOtherSessions(authUrl);
			else await endSession(authUrl, session.id);
			return session === undefined ? words.endedAll : words.ended(session.client_name);
		},
		// Also after a failure: a listed session may have ended already.
		onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
	});
}

function useColumns(zone: Parameters<typeof formatTime>[1], ending: Ending): Column<OwnSession>[] {
	const { profile: words } = useTexts();
	return [
		{
			head: words.application,
			cell: ({ client_name, tenant_slug }) => <RowName detail={tenant_slug}>{client_name}</RowName>,
		},
		{ head: words.signedInAt, cell: ({ signed_in_at }) => formatTime(signed_in_at, zone) },
		{ head: words.lastUsed, cell: ({ last_used_at }) => formatTime(last_used_at, zone) },
		{
			head: words.action,
			isHeadHidden: true,
			isNumber: true,
			cell: (session) =>
				session.is_current ? (
					<span className="inline-block rounded-md bg-done-wash px-2 py-0.5 text-done">{words.current}</span>
				) : (
					<Button
						aria-label={words.endOne(session.client_name)}
						className="w-full rows:w-auto"
						busyText={ending.isPending && ending.variables?.id === session.id ? words.ending : undefined}
						onClick={() => ending.mutate(session)}
					>
						{words.end}
					</Button>
				),
		},
	];
}

function EndAll({ ending, onEnded }: { ending: Ending; onEnded: () => void }) {
	const { profile: words } = useTexts();
	const [isOpen, setOpen] = useState(false);
	const close = () => setOpen(false);
	return (
		<div className="mt-5">
			<Button onClick={() => setOpen(true)}>{words.endAll}</Button>
			{isOpen && (
				<ConfirmDialog
					title={words.endAllTitle}
					isDestructive
					confirm={words.endAll}
					busyText={ending.isPending ? words.ending : undefined}
					onConfirm={() =>
						ending.mutate(undefined, {
							onSuccess: onEnded,
							onSettled: close,
						})
					}
					onClose={close}
				>
					<p>{words.endAllText}</p>
				</ConfirmDialog>
			)}
		</div>
	);
}
