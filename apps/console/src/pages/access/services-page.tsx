import { buttonLook } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../layout/page.tsx";
import { Card } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import {
	isGranted,
	permissionsInServiceQuery,
	type ServiceScope,
	servicesOf,
} from "../../services/service-access.queries.ts";
import { useTexts } from "../../texts/texts.ts";
import { useUnauthorizedTexts } from "../unauthorized/texts.ts";
import { useAccessTexts } from "./texts.ts";
import { useIsPlatform } from "./use-is-platform.ts";
import { useLacksProduct } from "./use-lacks-product.ts";

const route = getRouteApi("/$slug/access");

/** `/{slug}/access`: the services with their own roles, with links to them. */
export function ServicesPage() {
	const { slug } = route.useParams();
	const { settings } = usePlatform();
	const words = useAccessTexts();
	const isPlatform = useIsPlatform(slug);
	const services = isPlatform ? [] : servicesOf(settings);
	return (
		<Page title={words.title} lead={words.lead}>
			{services.length === 0 && (
				<p className="max-w-prose text-quiet">{isPlatform ? words.ofPlatform : words.noServices}</p>
			)}
			<div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
				{services.map((service) => (
					<ServiceCard key={service} scope={{ service, slug }} />
				))}
			</div>
		</Page>
	);
}

function ServiceCard({ scope }: { scope: ServiceScope }) {
	const { products } = useTexts();
	const isMissing = useLacksProduct(scope);
	return (
		<Card title={products[scope.service]}>
			{isMissing ? <NotInPlan scope={scope} /> : <WayIn scope={scope} />}
		</Card>
	);
}

/** A service that the tenant's plan does not include, with a link to the plans. */
function NotInPlan({ scope: { service, slug } }: { scope: ServiceScope }) {
	const { product: words } = useUnauthorizedTexts();
	const { products } = useTexts();
	return (
		<>
			<p className="mb-3 text-quiet">{words.text(products[service])}</p>
			<Link
				to="/$slug/subscribe"
				params={{ slug }}
				aria-label={words.plansOne(products[service])}
				className={buttonLook("quiet")}
			>
				{words.plans}
			</Link>
		</>
	);
}

function WayIn({ scope }: { scope: ServiceScope }) {
	const granted = useQuery(permissionsInServiceQuery(usePlatform(), scope));
	const words = useAccessTexts();
	const { products } = useTexts();
	const { service, slug } = scope;
	return (
		<Loaded query={granted}>
			{(creator) => {
				if (isGranted(creator, `${service}.roles.view`))
					return (
						<Link
							to="/$slug/access/$service"
							params={{ slug, service }}
							aria-label={words.openServiceOne(products[service])}
							className={buttonLook("plain")}
						>
							{words.openService}
						</Link>
					);
				if (!isGranted(creator, `${service}.api_keys.view`))
					return <p className="text-quiet">{words.notAllowed}</p>;
				return (
					<Link
						to="/$slug/access/$service/keys"
						params={{ slug, service }}
						aria-label={words.openKeysOne(products[service])}
						className={buttonLook("plain")}
					>
						{words.openKeys}
					</Link>
				);
			}}
		</Loaded>
	);
}
