/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAWL's internal types.  Specifications name them without declaring them;
 * the names of their elements are part of YAWL's interfaces.
 */
#include "data/schema.h"

/* clang-format off */
#define POINT							\
	"<sequence>"						\
	"<element name='latitude'><simpleType>"			\
	"<restriction base='xs:decimal'>"			\
	"<minInclusive value='-90'/><maxInclusive value='90'/>"	\
	"</restriction></simpleType></element>"			\
	"<element name='longitude'><simpleType>"		\
	"<restriction base='xs:decimal'>"			\
	"<minInclusive value='-180'/><maxInclusive value='180'/>" \
	"</restriction></simpleType></element>"			\
	"</sequence>"

#define LIST_OF(list, item, type)				\
	"<complexType name='" list "'><sequence>"		\
	"<element name='" item "' type='" type "'"		\
	" maxOccurs='unbounded'/>"				\
	"</sequence></complexType>"

const char wf_internal_types[] =
	"<schema xmlns='" WF_XML_SCHEMA "' xmlns:xs='" WF_XML_SCHEMA "'>"

	"<complexType name='" WF_DOCUMENT_TYPE "'><sequence>"
	"<element name='id' type='xs:long' minOccurs='0'/>"
	"<element name='name' type='xs:string'/>"
	"</sequence></complexType>"

	"<complexType name='YStringListType'><sequence>"
	"<element name='item' type='xs:string'"
	" minOccurs='0' maxOccurs='unbounded'/>"
	"</sequence></complexType>"

	"<complexType name='YTimerType'><sequence>"
	"<element name='trigger' type='xs:string'/>"
	"<element name='expiry' type='xs:string'/>"
	"<element name='workdays' type='xs:boolean' minOccurs='0'/>"
	"</sequence></complexType>"

	"<complexType name='YGeoLatLongType'>" POINT "</complexType>"
	"<complexType name='YGeoMarkerType'>" POINT "</complexType>"
	"<complexType name='YGeoCircleType'><sequence>"
	"<element name='center' type='YGeoLatLongType'/>"
	"<element name='radius' type='xs:float'/>"
	"</sequence></complexType>"
	"<complexType name='YGeoRectType'><sequence>"
	"<element name='top-left' type='YGeoLatLongType'/>"
	"<element name='bottom-right' type='YGeoLatLongType'/>"
	"</sequence></complexType>"
	"<complexType name='YGeoPolygonType'><sequence>"
	"<element name='vertex' type='YGeoLatLongType'"
	" minOccurs='2' maxOccurs='unbounded'/>"
	"</sequence></complexType>"

	LIST_OF("YGeoLatLongListType", "point", "YGeoLatLongType")
	LIST_OF("YGeoMarkerListType", "marker", "YGeoMarkerType")
	LIST_OF("YGeoCircleListType", "circle", "YGeoCircleType")
	LIST_OF("YGeoRectListType", "rect", "YGeoRectType")
	LIST_OF("YGeoPolygonListType", "polygon", "YGeoPolygonType")
	"</schema>";
/* clang-format on */
