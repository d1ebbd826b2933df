import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../layout/badge.tsx";
import { Page } from "../../layout/page.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { DeadJobs } from "./dead-jobs.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { countQuery, type Service, servicesOf } from "./failure.queries.ts";
import { useFailureTexts } from "./texts.ts";

const route = getRouteApi("/$slug/platform/failures");

/** `/{slug}/platform/failures?service=…`: failed events and jobs of a service, to retry or discard. */
export function FailuresPage() {
	const { service: chosen } = route.useSearch();
	const services = servicesOf(usePlatform());
	const words = useFailureTexts();
	const format = useFormat();
	const service = services.find(({ name }) => name === chosen) ?? services[0];
	if (service === undefined) return null;
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)}>
			<nav aria-label={words.services} className="mb-8">
				<ul className="flex flex-wrap gap-2">
					{services.map((one) => (
						<li key={one.name}>
							<ServiceLink service={one} isOpen={one === service} />
						</li>
					))}
				</ul>
			</nav>
			<Lists key={service.name} service={service} />
		</Page>
	);
}

/** The lists of a service. Not every service has both events and jobs. */
function Lists({ service }: { service: Service }) {
	const count = useQuery(countQuery(usePlatform(), service));
	const words = useFailureTexts();
	return (
		<Loaded query={count} isMain>
			{({ kinds }) => (
				<>
					{kinds.includes("dead-letters") && <DeadLetters service={service} />}
					{kinds.includes("dead-jobs") && <DeadJobs service={service} />}
					{kinds.length === 0 && <p className="text-quiet">{words.nothingToFail}</p>}
				</>
			)}
		</Loaded>
	);
}

function ServiceLink({ service, isOpen }: { service: Service; isOpen: boolean }) {
	const { slug } = route.useParams();
	const { products } = useTexts();
	const words = useFailureTexts();
	return (
		<Link
			to="/$slug/platform/failures"
			params={{ slug }}
			search={{ service: service.name }}
			aria-current={isOpen ? "page" : undefined}
			className="flex min-h-11 items-center gap-3 rounded-lg border border-edge px-4 hover:border-link aria-[current=page]:border-panel aria-[current=page]:bg-panel aria-[current=page]:text-panel-ink"
		>
			{wordFor({ ...products, ...words.names }, service.name)}
			<Counted service={service} />
		</Link>
	);
}

/** The number of failures, beside the name of the service. */
function Counted({ service }: { service: Service }) {
	const count = useQuery(countQuery(usePlatform(), service));
	const words = useFailureTexts();
	const format = useFormat();
	if (count.error !== null) return <Badge kind="warning">{words.unavailable}</Badge>;
	if (count.data === undefined || count.data.count === 0) return null;
	const number = format.number(count.data.count);
	return (
		<Badge kind="error">
			{count.data.isMore ? words.more(number) : number}
			<span className="sr-only"> {words.failed}</span>
		</Badge>
	);
}
