import { type Column, Notice, RowName } from "@lango/interface";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Badge } from "../../layout/badge.tsx";
import { Section } from "../../layout/section.tsx";
import { PagedList, usePagedList } from "../../lists/paged-list.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { notificationsAddress } from "../messages/state/message.queries.ts";
import { buyPack, creditKey, newestTopUpQuery, type Pack, type TopUp, whole } from "./credit.queries.ts";
import { useCreditTexts } from "./texts.ts";

type Props = { scope: ServiceScope; mayBuy: boolean };

/** The packs on sale, and the purchases with what to do next. */
export function Packs({ scope, mayBuy }: Props) {
	const words = useCreditTexts();
	const format = useFormat();
	const newest = useNewestTopUp(scope);
	const list = usePagedList<Pack>({
		key: [...creditKey(scope), "packs"],
		address: notificationsAddress(usePlatform(), scope, "credits/packs"),
		...whole,
		name: "packs",
	});
	const isOpen = newest?.status === "open";
	return (
		<>
			<Section title={words.packs}>
				{isOpen && (
					<div className="mb-4">
						<Notice kind="warning">{words.isOpen(format.time(newest.expires_at))}</Notice>
					</div>
				)}
				<PagedList
					list={list}
					caption={words.packs}
					columns={usePackColumns(scope, mayBuy && !isOpen)}
					keyOf={({ code }) => code}
					empty={words.noPacks}
				/>
			</Section>
			<Purchases scope={scope} />
		</>
	);
}

/** The newest purchase. Everything on the page is loaded again when its payment ends. */
function useNewestTopUp(scope: ServiceScope): TopUp | null | undefined {
	const queries = useQueryClient();
	const { data: newest } = useQuery(newestTopUpQuery(usePlatform(), scope));
	const before = useRef(newest?.status);
	const { slug, service } = scope;
	useEffect(() => {
		if (before.current === "open" && newest?.status !== "open")
			void queries.invalidateQueries({ queryKey: creditKey({ slug, service }) });
		before.current = newest?.status;
	}, [newest?.status, queries, slug, service]);
	return newest;
}

function usePackColumns(scope: ServiceScope, mayBuy: boolean): Column<Pack>[] {
	const platform = usePlatform();
	const words = useCreditTexts();
	const format = useFormat();
	const columns: Column<Pack>[] = [
		{ head: words.pack, cell: ({ code }) => code },
		{ head: words.segments, isNumber: true, cell: ({ segments }) => format.number(segments) },
		{
			head: words.price,
			isNumber: true,
			cell: ({ price_minor: minor, currency }) => <Price minor={minor} currency={currency} />,
		},
	];
	if (!mayBuy) return columns;
	const buy = ({ code, segments, price_minor, currency }: Pack) => (
		<ConfirmButton
			texts={{
				...words.buy,
				text: words.buyText(format.number(segments), format.money(price_minor, currency)),
			}}
			name={code}
			action={() => buyPack(platform, scope, { code, segments, price_minor, currency })}
			invalidates={creditKey(scope)}
			messages={words.errors}
		/>
	);
	return [...columns, { head: words.buy.label, isHeadHidden: true, isNumber: true, cell: buy }];
}

/** An amount on one line. */
function Price({ minor, currency }: { minor: number; currency: string }) {
	return <span className="whitespace-nowrap">{useFormat().money(minor, currency)}</span>;
}

const looks = { open: "warning", paid: "done", failed: "error" } as const;

function Purchases({ scope }: Pick<Props, "scope">) {
	const words = useCreditTexts();
	const format = useFormat();
	const list = usePagedList<TopUp>({
		key: [...creditKey(scope), "top-ups"],
		address: notificationsAddress(usePlatform(), scope, "credits/top-ups"),
		...whole,
		name: "purchases",
	});
	const columns: Column<TopUp>[] = [
		{
			head: words.pack,
			cell: ({ pack, segments }) => (
				<RowName detail={words.segmentsOf(format.number(segments))}>{pack}</RowName>
			),
		},
		{
			head: words.price,
			isNumber: true,
			cell: ({ amount_minor: minor, currency }) => <Price minor={minor} currency={currency} />,
		},
		{
			head: words.state,
			isLong: true,
			cell: ({ status }) => (
				<>
					<Badge kind={status in looks ? looks[status as keyof typeof looks] : "plain"}>
						{wordFor(words.states, status)}
					</Badge>{" "}
					{words.nextSteps[status as keyof typeof words.nextSteps]}
				</>
			),
		},
		{ head: words.at, cell: ({ requested_at }) => format.time(requested_at) },
	];
	return (
		<Section title={words.purchases}>
			<PagedList
				list={list}
				caption={words.purchases}
				columns={columns}
				keyOf={({ operation_id }) => operation_id}
				empty={words.noPurchases}
			/>
		</Section>
	);
}
