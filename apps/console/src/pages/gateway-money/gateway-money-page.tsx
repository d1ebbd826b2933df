import { buttonLook, type Column, DataTable, Notice } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Detail, Details } from "../../layout/details.tsx";
import { Page } from "../../layout/page.tsx";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { NotFoundPage } from "../errors/not-found-page.tsx";
import { PartName, PartsBar } from "../statement/parts-bar.tsx";
import { ages, countedKinds } from "../unresolved/unresolved.queries.ts";
import { type ChannelFees, type Float, summaryQuery, type Unresolved } from "./summary.queries.ts";
import { useGatewayMoneyTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/gateway-money");

/**
 * `/{slug}/platform/gateway-money`: the float beside payouts, fees by channel, and what is not known by
 * age.
 */
export function GatewayMoneyPage() {
	if (usePlatform().settings.services.treasury === undefined) return <NotFoundPage />;
	return <GatewayMoney />;
}

function GatewayMoney() {
	const words = useGatewayMoneyTexts();
	const found = useQuery(summaryQuery(usePlatform()));
	return (
		<Page title={words.title} lead={words.lead}>
			<Loaded query={found} isMain>
				{({ float, fees, unresolved }) => (
					<>
						{float.length === 0 && <p className="text-quiet">{words.noFloat}</p>}
						{float.map((one) => (
							<FloatSection key={one.currency} float={one} />
						))}
						<UnresolvedSection unresolved={unresolved} />
						<FeesSection fees={fees} />
					</>
				)}
			</Loaded>
		</Page>
	);
}

function FloatSection({ float }: { float: Float }) {
	const words = useGatewayMoneyTexts();
	const format = useFormat();
	const money = (minor: number) => (
		<span className="tabular-nums">{format.money(minor, float.currency)}</span>
	);
	const { forecast_minor: forecast } = float;
	const parts = [
		{ name: "sent", value: float.sent_minor, look: "link" },
		{ name: "approved", value: float.approved_minor, look: "warning" },
		{ name: "forecast", value: forecast, look: "done" },
	] as const;
	return (
		<Section title={words.float(float.currency)} lead={words.floatLead}>
			<div className="mb-4">
				<Notice kind={forecast < 0 ? "warning" : "plain"}>
					{forecast < 0
						? words.short(format.money(-forecast, float.currency))
						: words.enough(format.money(forecast, float.currency))}
				</Notice>
			</div>
			<PartsBar parts={parts} />
			<Details>
				<Detail label={words.balance}>{money(float.balance_minor)}</Detail>
				{parts.map(({ name, value, look }) => (
					<Detail key={name} label={<PartName look={look}>{words.parts[name]}</PartName>}>
						{money(value)}
					</Detail>
				))}
				<Detail label={words.waiting}>{money(float.waiting_minor)}</Detail>
				<Detail label={words.unsettled}>{money(float.unsettled_minor)}</Detail>
			</Details>
		</Section>
	);
}

type CountedKind = (typeof countedKinds)[number];

/** The older, the more urgent. */
const ageLooks = { hour: "plain", day: "link", week: "warning", older: "error" } as const;

function UnresolvedSection({ unresolved }: { unresolved: Unresolved }) {
	const words = useGatewayMoneyTexts();
	const columns: Column<CountedKind>[] = [
		{
			head: words.kind,
			isLong: true,
			cell: (kind) => (
				<>
					{words.kinds[kind]}
					<PartsBar
						isInRow
						parts={ages.map((age) => ({ name: age, value: unresolved[kind][age], look: ageLooks[age] }))}
					/>
				</>
			),
		},
		...ages.map((age) => ({
			...{ head: words.ages[age], isNumber: true },
			cell: (kind: CountedKind) => <Count kind={kind} age={age} count={unresolved[kind][age]} />,
		})),
	];
	return (
		<Section title={words.unresolved} lead={words.unresolvedLead}>
			<DataTable
				caption={words.unresolved}
				columns={columns}
				rows={countedKinds}
				keyOf={(kind) => kind}
				empty=""
			/>
		</Section>
	);
}

type Count = { kind: CountedKind; age: (typeof ages)[number]; count: number };

/** A count that leads to what it counts. */
function Count({ kind, age, count }: Count) {
	const { slug } = route.useParams();
	const words = useGatewayMoneyTexts();
	const text = useFormat().number(count);
	if (count === 0) return text;
	const shown = {
		...{ params: { slug }, className: buttonLook("quiet") },
		"aria-label": words.open(text, words.kinds[kind], words.ages[age]),
	};
	return kind === "webhook" ? (
		<Link to="/$slug/platform/webhooks" search={{ status: "parked", age }} {...shown}>
			{text}
		</Link>
	) : (
		<Link to="/$slug/platform/unresolved" search={{ kind, age }} {...shown}>
			{text}
		</Link>
	);
}

function FeesSection({ fees }: { fees: readonly ChannelFees[] }) {
	const words = useGatewayMoneyTexts();
	const format = useFormat();
	const columns: Column<ChannelFees>[] = [
		{
			head: words.channel,
			isLong: true,
			cell: ({ channel, fee_minor: fee, variance_minor: variance }) => (
				<>
					{wordFor(words.channels, channel)}
					<PartsBar
						isInRow
						parts={[
							{ name: "estimated", value: fee - Math.max(variance, 0), look: "link" },
							{ name: "variance", value: variance, look: "warning" },
						]}
					/>
				</>
			),
		},
		{ head: words.fee, isNumber: true, cell: ({ fee_minor, currency }) => format.money(fee_minor, currency) },
		{
			...{ head: words.variance, isNumber: true },
			cell: ({ variance_minor, currency }) => format.money(variance_minor, currency),
		},
	];
	return (
		<Section title={words.fees} lead={words.feesLead}>
			<DataTable
				caption={words.fees}
				columns={columns}
				rows={fees}
				keyOf={({ channel, currency }) => `${channel} ${currency}`}
				empty={words.noFees}
			/>
		</Section>
	);
}
