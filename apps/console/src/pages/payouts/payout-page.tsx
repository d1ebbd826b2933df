import { useProfile } from "@lango/client/react";
import { type Column, DataTable, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useFailureReason } from "../../failure-codes/failure-reason.ts";
import { BackLink } from "../../layout/back-link.tsx";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { isGranted, type ServiceScope } from "../../services/service-access.queries.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { ServiceGate } from "../access/service-gate.tsx";
import { namesOfQuery } from "../audit/names.queries.ts";
import { DecideButtons } from "./decide-buttons.tsx";
import { OperatorPart } from "./operator-part.tsx";
import { type Payout, payoutQuery } from "./payout.queries.ts";
import { PayoutStatus } from "./payout-status.tsx";
import { usePayoutTexts } from "./texts.ts";

const route = getRouteApi("/$slug/payouts/$id");

/** `/{slug}/payouts/{id}`: a payout with its lines, and what was decided about it. */
export function PayoutPage() {
	const { slug, id } = route.useParams();
	return (
		<ServiceGate service="treasury" slug={slug} permission="treasury.payouts.view">
			{(scope, granted) => (
				<StoredPayout scope={scope} id={id} mayDecide={isGranted(granted, "treasury.payouts.manage")} />
			)}
		</ServiceGate>
	);
}

function StoredPayout({ scope, id, mayDecide }: { scope: ServiceScope; id: string; mayDecide: boolean }) {
	const words = usePayoutTexts();
	const isOperator = useProfile()?.isPlatformOwner === true;
	const found = useQuery(payoutQuery(usePlatform(), { scope, id }));
	return (
		<Loaded query={found} isMain>
			{(payout) => (
				<>
					<BackLink to="/$slug/payouts" params={{ slug: scope.slug }}>
						{words.title}
					</BackLink>
					<Page title={payout.to} actions={mayDecide && <DecideButtons scope={scope} payout={payout} />}>
						<div className="mb-6" role="status">
							<Notice kind={payout.status === "paid" ? "done" : "plain"}>
								{payout.needs_review ? words.reviewText : words.says[payout.status]}
							</Notice>
						</div>
						<Facts payout={payout} scope={scope} />
						{isOperator && <OperatorPart scope={scope} payout={payout} />}
						<Lines payout={payout} />
						<Decisions payout={payout} scope={scope} />
					</Page>
				</>
			)}
		</Loaded>
	);
}

type Shown = { payout: Payout; scope: ServiceScope };

/** Names a person of the organisation by their id, as far as the user may see people. */
function usePersonName(slug: string, ids: readonly string[]): (id: string) => string {
	const words = usePayoutTexts();
	const userId = useProfile()?.userId;
	const uuid = /^[0-9a-f]{8}-/;
	const names = useQuery({
		...namesOfQuery(
			usePlatform(),
			slug,
			ids.filter((id) => uuid.test(id)),
		),
		retry: false,
	}).data;
	return (id) => {
		if (id === userId) return words.you;
		return names?.get(id) ?? (uuid.test(id) ? words.unknownPerson : words.program);
	};
}

function Facts({ payout, scope }: Shown) {
	const words = usePayoutTexts();
	const format = useFormat();
	const nameOf = usePersonName(scope.slug, [payout.created_by]);
	const reasonOf = useFailureReason("moneyOut");
	return (
		<Details>
			<Detail label={words.net}>{format.money(payout.net_minor, payout.currency)}</Detail>
			<Detail label={words.status}>
				<PayoutStatus {...payout} />
			</Detail>
			<Detail label={words.rail}>{words.rails[payout.rail]}</Detail>
			<Detail label={words.kind}>{words.kinds[payout.kind]}</Detail>
			<Instruction {...payout} />
			{payout.batch_id !== null && (
				<Detail label={words.bulk.title}>
					<Link to="/$slug/payouts/bulk/$id" params={{ slug: scope.slug, id: payout.batch_id }}>
						{words.bulk.openAll}
					</Link>
				</Detail>
			)}
			<Detail label={words.createdBy}>{nameOf(payout.created_by)}</Detail>
			<Detail label={words.created}>{format.time(payout.created_at)}</Detail>
			{payout.ended_at !== null && <Detail label={words.ended}>{format.time(payout.ended_at)}</Detail>}
			{payout.receipt !== null && <Detail label={words.receipt}>{payout.receipt}</Detail>}
			{payout.failure_code !== null && <Detail label={words.failure}>{reasonOf(payout.failure_code)}</Detail>}
			<Detail label={words.reference}>{payout.reference}</Detail>
		</Details>
	);
}

/** How a payout of the tenant's own shortcode is paid, and what is written on it. */
function Instruction({ kind, command, account, remarks }: Payout) {
	const words = usePayoutTexts();
	return (
		<>
			{command !== null && (kind === "customer" || kind === "business") && (
				<Detail label={words.command[kind]}>{wordFor(words.commands, command)}</Detail>
			)}
			{account !== null && <Detail label={words.accountNumber}>{account}</Detail>}
			{remarks !== null && <Detail label={words.remarks}>{remarks}</Detail>}
		</>
	);
}

function Lines({ payout: { lines, net_minor, currency } }: { payout: Payout }) {
	const words = usePayoutTexts();
	const format = useFormat();
	const columns: Column<Payout["lines"][number]>[] = [
		{
			head: words.line,
			cell: ({ kind }) => (kind === "net" ? words.total : wordFor(words.lineKinds, kind)),
		},
		{ head: words.gross, isNumber: true, cell: ({ amount_minor }) => format.money(amount_minor, currency) },
	];
	return (
		<Section title={words.lines}>
			<DataTable
				caption={words.lines}
				columns={columns}
				rows={[...lines, { kind: "net", amount_minor: net_minor }]}
				keyOf={({ kind }) => kind}
				empty={words.none}
			/>
		</Section>
	);
}

function Decisions({ payout: { approvals }, scope }: Shown) {
	const words = usePayoutTexts();
	const format = useFormat();
	const nameOf = usePersonName(
		scope.slug,
		approvals.map(({ by }) => by),
	);
	const columns: Column<Payout["approvals"][number]>[] = [
		{ head: words.decision, cell: ({ decision }) => wordFor(words.decisionNames, decision) },
		{ head: words.by, cell: ({ by }) => nameOf(by) },
		{ head: words.because, isLong: true, cell: ({ because }) => because ?? "–" },
		{ head: words.at, cell: ({ at }) => format.time(at) },
	];
	return (
		<Section title={words.decisions}>
			<DataTable
				caption={words.decisions}
				columns={columns}
				rows={approvals}
				keyOf={({ by, at }) => `${by} ${at}`}
				empty={words.noDecisions}
			/>
		</Section>
	);
}
