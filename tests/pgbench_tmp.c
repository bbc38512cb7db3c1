#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "persistence/store.h"
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return (double)t.tv_sec+(double)t.tv_nsec/1e9;}
#define CHECK(x) do { if ((x) != WF_OK) { fprintf(stderr,"%s:%d: %s\n",__FILE__,__LINE__,err.message); exit(1);} } while(0)
int main(int argc,char**argv){
	const char*url=argv[1]; size_t n=(size_t)atoi(argv[2]); int rounds=atoi(argv[3]); uint64_t base=argc>4?strtoull(argv[4],NULL,10):0; size_t snap=argc>5?(size_t)atoi(argv[5]):300;
	struct wf_error err={0}; struct wf_store*s; struct wf_arena*a=wf_arena_new();
	CHECK(wf_store_open(&s,url,WF_STORE_CREATE,&err));
	char bytes[100000]; for(size_t i=0;i<sizeof bytes;i++)bytes[i]=(char)(rand()>>7);
	struct wf_claim*cl=calloc(n,sizeof*cl); struct wf_case_write*cw=calloc(n,sizeof*cw); struct wf_history_row*h=calloc(n,sizeof*h);
	struct wf_item_write*it=calloc(2*n,sizeof*it); struct wf_take*tk=calloc(n,sizeof*tk); struct wf_look_up*lu=calloc(n,sizeof*lu); struct wf_answer_row*an=calloc(n,sizeof*an);
	char (*names)[64]=calloc(n,64); char(*ids)[64]=calloc(n,64); char(*old)[64]=calloc(n,64),(*new)[64]=calloc(n,64);
	for(size_t i=0;i<n;i++){sprintf(names[i],"case%llu",(unsigned long long)(base+i+1));cl[i]=(struct wf_claim){.namespace_id=1,.name=names[i]};
		sprintf(new[i],"%llu:T0",(unsigned long long)(base+i+1));
		cw[i]=(struct wf_case_write){.row={.number=base+i+1,.namespace_id=1,.name=names[i],.specification=77777777777ULL,.title="Process",.owner="admin",.launched_at=1795000000000,.version=1,.changed_at=1795000000000},.snapshot={bytes,snap}};
		h[i]=(struct wf_history_row){.number=base+i+1,.sequence=1,.at=1795000000000,.actor="admin",.origin="rest",.format=1,.command="",.events={bytes,100}};
		it[i]=(struct wf_item_write){.row={.number=base+i+1,.id=new[i],.namespace_id=1,.specification=77777777777ULL,.task="T0",.service="",.enabled_at=1795000000000},.groups=1};}
	struct wf_batch b={.claims=cl,.claim_count=n}; struct wf_writes w={.cases=cw,.case_count=n,.history=h,.history_count=n,.items=it,.item_count=n};
	CHECK(wf_store_begin(s,&b,a,&err)); CHECK(wf_store_commit(s,&w,NULL,&err));
	double t0=now(),tb=0,tc=0; uint64_t s0=wf_store_statements(s);
	for(int r=1;r<=rounds;r++){
		for(size_t i=0;i<n;i++){ tk[i]=(struct wf_take){.number=base+i+1,.known=(uint64_t)r}; sprintf(ids[i],"admin/%llu-%d",(unsigned long long)(base+i+1),r); lu[i].id=ids[i];
			sprintf(old[i],"%llu:T%d",(unsigned long long)(base+i+1),r-1); sprintf(new[i],"%llu:T%d",(unsigned long long)(base+i+1),r);
		}
		struct wf_batch bb={.takes=tk,.take_count=n,.commands=lu,.command_count=n};
		double x=now();
		CHECK(wf_store_begin(s,&bb,a,&err)); double y=now(); tb+=y-x;
		for(size_t i=0;i<n;i++){ if(tk[i].state!=WF_TAKE_TAKEN||lu[i].state!=WF_COMMAND_NEW){fprintf(stderr,"state %d %d\n",tk[i].state,lu[i].state);exit(1);}
			cw[i].row.version=(uint64_t)r+1; cw[i].expected=(uint64_t)r; cw[i].row.changed_at++; cw[i].snapshot.data=bytes+r%1000;
			h[i].sequence=(uint64_t)r+1; h[i].command=ids[i]; h[i].at++;
			it[i]=(struct wf_item_write){.row={.number=base+i+1,.id=old[i]}};
			it[n+i]=(struct wf_item_write){.row={.number=base+i+1,.id=new[i],.namespace_id=1,.specification=77777777777ULL,.task="T0",.service="",.enabled_at=1795000000000+r},.groups=1};
			an[i]=(struct wf_answer_row){.id=ids[i],.request=(uint64_t)rand()*12345678901ULL,.number=base+i+1,.sequence=(uint64_t)r+1,.at=h[i].at,.code=0};
		}
		struct wf_writes ww={.cases=cw,.case_count=n,.history=h,.history_count=n,.items=it,.item_count=2*n,.answers=an,.answer_count=n};
		CHECK(wf_store_commit(s,&ww,NULL,&err)); tc+=now()-y; wf_arena_reset(a);
	}
	double t=now()-t0;
	printf("%zu x %d: %.0f items/s, begin %.0f us, commit %.0f us, %.1f statements a batch\n",n,rounds,(double)n*rounds/t,tb/rounds*1e6,tc/rounds*1e6,(double)(wf_store_statements(s)-s0)/rounds);
	wf_store_close(&s); return 0;}
